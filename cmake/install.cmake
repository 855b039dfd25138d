# The package: `cmake --install build/release --prefix DIR` makes a folder that can be moved as a whole.
#
#   bin/assay                  lib/libassay.so         lib/assay/assay-probe    lib/assay/plugins/<kind>s/<name>.so
#   include/assay/assay.h ...  lib/cmake/Assay/        share/assay/experiments  share/doc/assay
#
# The build folder is such a package too (without headers of its own), so that plugins can be tried against it.
include(CMakePackageConfigHelpers)
set(package_folder lib/cmake/Assay)
set(package_build ${CMAKE_BINARY_DIR}/${package_folder})

string(REGEX MATCH "^[0-9]+" assay_compiler "${CMAKE_CXX_COMPILER_VERSION}")
set(assay_compiler "${CMAKE_CXX_COMPILER_ID} ${assay_compiler}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/AssayConfig.cmake.in ${package_build}/AssayConfig.cmake @ONLY)
write_basic_package_version_file(${package_build}/AssayConfigVersion.cmake COMPATIBILITY SameMinorVersion)
file(COPY ${CMAKE_CURRENT_LIST_DIR}/plugins.cmake ${CMAKE_CURRENT_LIST_DIR}/plugin.map DESTINATION ${package_build})

install(TARGETS assay assay_shared assay_code EXPORT AssayTargets RUNTIME DESTINATION bin LIBRARY DESTINATION lib)
install(TARGETS assay_probe RUNTIME DESTINATION lib/assay)
install(EXPORT AssayTargets NAMESPACE Assay:: DESTINATION ${package_folder})
export(EXPORT AssayTargets NAMESPACE Assay:: FILE ${package_build}/AssayTargets.cmake)
install(FILES ${package_build}/AssayConfig.cmake ${package_build}/AssayConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/plugins.cmake ${CMAKE_CURRENT_LIST_DIR}/plugin.map DESTINATION ${package_folder})

install(CODE "set(ASSAY_FRAMEWORK ${CMAKE_SOURCE_DIR}/framework)")
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/install_headers.cmake)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/experiments DESTINATION share/assay)
install(CODE [[
  set(root $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX})
  foreach(place IN ITEMS bash:bash-completion/completions/assay zsh:zsh/site-functions/_assay
      fish:fish/vendor_completions.d/assay.fish)
    string(REPLACE ":" ";" place "${place}")
    list(GET place 0 shell)
    list(GET place 1 file)
    cmake_path(GET file PARENT_PATH folder)
    file(MAKE_DIRECTORY ${root}/share/${folder})
    execute_process(COMMAND ${root}/bin/assay completion ${shell} OUTPUT_FILE ${root}/share/${file}
      COMMAND_ERROR_IS_FATAL ANY)
  endforeach()]])
install(FILES ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION share/doc/assay)
install(FILES ${CMAKE_SOURCE_DIR}/plugins/README.md DESTINATION share/doc/assay/plugins)
