# assay_plugin(<kind> <name> <source>...): builds plugins/<kind>s/<name>.so, which `<kind>: {type: <name>}` opens.
function(assay_plugin kind name)
  set(target plugin_${kind}_${name})
  add_library(${target} MODULE ${ARGN})
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins/${kind}s)
  target_link_libraries(${target} PRIVATE assay_flags assay_shared)
  target_link_options(${target} PRIVATE -Wl,-z,defs
    -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/plugin.map)
  set_property(GLOBAL APPEND PROPERTY ASSAY_PLUGINS ${target})
endfunction()
