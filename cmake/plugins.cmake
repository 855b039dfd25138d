# How plugins are built: by Assay's own build, and by whoever says find_package(Assay), with the same functions.

# assay_add_plugin(<kind> <name> [<source>...]): builds plugins/<kind>s/<name>.so in the build folder, which
# `<kind>: {type: <name>}` opens (assay run --plugins BUILD/plugins). Source, if none is named: <name>.cpp. The target is
# plugin_<kind>_<name>. `cmake --install BUILD --prefix ~/.local` puts it where every experiment finds it.
function(assay_add_plugin kind name)
  set(sources ${ARGN})
  if(NOT sources)
    set(sources ${name}.cpp)
  endif()
  set(target plugin_${kind}_${name})
  assay_plugin_library(${target} ${sources})
  string(REGEX REPLACE "ch$" "che" folder ${kind})  # models, but searches
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins/${folder}s)
  install(TARGETS ${target} LIBRARY DESTINATION lib/assay/plugins/${folder}s)
endfunction()

# assay_add_presets(<folder>): files of groups that the plugins bring. <folder>/model/small.yaml becomes
# plugins/config/model/small.yaml, where `model=small` and `defaults: [{model: small}]` find it beside the plugins.
function(assay_add_presets folder)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/${folder}
    ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*/*.yaml)
  foreach(file IN LISTS files)
    configure_file(${folder}/${file} ${CMAKE_BINARY_DIR}/plugins/config/${file} COPYONLY)
  endforeach()
  install(DIRECTORY ${folder}/ DESTINATION lib/assay/plugins/config FILES_MATCHING PATTERN "*.yaml")
endfunction()

# assay_test_plugin(<kind> <name> [<experiment>]): tests for ctest: the contract of its kind, and that the experiment
# trains.
function(assay_test_plugin kind name)
  add_test(NAME ${kind}_${name}_contract
    COMMAND Assay::program plugins test $<TARGET_FILE:plugin_${kind}_${name}>)
  if(ARGN)
    add_test(NAME ${kind}_${name}_trains COMMAND Assay::program run ${CMAKE_CURRENT_SOURCE_DIR}/${ARGV2} --force
      --plugins ${CMAKE_BINARY_DIR}/plugins --out ${CMAKE_CURRENT_BINARY_DIR}/results)
  endif()
endfunction()

# assay_plugin_library(<target> <source>...): a library that the loader accepts. It exports assay_register only, and
# a symbol that nobody has is an error when linking, not when loading.
function(assay_plugin_library target)
  set(exports ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/plugin.map)
  add_library(${target} MODULE ${ARGN})
  set_target_properties(${target} PROPERTIES PREFIX "" NO_SONAME ON LINK_DEPENDS ${exports}
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  set(version 0)
  if(PROJECT_VERSION)
    set(version ${PROJECT_VERSION})
  endif()
  target_compile_definitions(${target} PRIVATE ASSAY_PROJECT_VERSION="${version}")
  target_link_libraries(${target} PRIVATE Assay::assay)
  target_link_options(${target} PRIVATE -Wl,--version-script=${exports} -Wl,-z,now)
  if(NOT (ASSAY_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES Clang))  # clang's run-time is in the program only
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
endfunction()
