# assay_scaffold(<target>): compiles the files under cli/scaffold/ into the target, for `assay plugins new`. A folder for
# each kind; `any` goes with every kind. NAME in a file's name, and @NAME@, @CLASS@ and @KIND@ in its text, are filled in.
function(assay_scaffold target)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/cli/scaffold)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*/*.in)
  set(entries "")
  foreach(file IN LISTS files)
    file(READ ${folder}/${file} text)
    get_filename_component(kind ${file} DIRECTORY)
    get_filename_component(name ${file} NAME_WLE)
    string(APPEND entries "    {\"${kind}\", \"${name}\", R\"scaffold(${text})scaffold\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${file})
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/scaffold_files.cpp)
  file(WRITE ${source}.new "#include \"cli/scaffold.h\"\n\nnamespace assay {\n\n\
std::vector<ScaffoldFile> scaffold_files() {\n  return {\n${entries}  };\n}\n\n}  // namespace assay\n")
  file(COPY_FILE ${source}.new ${source} ONLY_IF_DIFFERENT)
  target_sources(${target} PRIVATE ${source})
endfunction()
