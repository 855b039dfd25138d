# assay_plugin(<kind> <name> <source>...): builds plugins/<kind>s/<name>.so, which `<kind>: {type: <name>}` opens.
function(assay_plugin kind name)
  set(target plugin_${kind}_${name})
  assay_plugin_library(${target} ${ARGN})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins/${kind}s)
  set_property(GLOBAL APPEND PROPERTY ASSAY_PLUGINS ${target})
endfunction()

# assay_plugin_library(<target> <source>...): a library that the loader accepts. It exports assay_register only, and
# a symbol that nobody has is an error when linking, not when loading.
function(assay_plugin_library target)
  add_library(${target} MODULE ${ARGN})
  set_target_properties(${target} PROPERTIES PREFIX "" NO_SONAME ON
    LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/plugin.map)
  target_compile_definitions(${target} PRIVATE ASSAY_PROJECT_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${target} PRIVATE assay_flags assay_shared)
  target_link_options(${target} PRIVATE -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/plugin.map)
  if(NOT (ASSAY_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES Clang))  # clang's run-time is in the program only
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
endfunction()
