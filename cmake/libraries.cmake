# The libraries from outside. Each is used by the one folder that cmake/folders.cmake links it to.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(TBB REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CURL REQUIRED)
find_package(HDF5 REQUIRED COMPONENTS C)

find_package(yaml-cpp REQUIRED)

# Static where Debian's archive allows it: each shared library that is opened at the start costs about a millisecond.
find_library(NETTLE_LIBRARY libnettle.a REQUIRED)
find_path(NETTLE_INCLUDE_DIR nettle/sha2.h REQUIRED)
add_library(assay_nettle INTERFACE)
target_include_directories(assay_nettle SYSTEM INTERFACE ${NETTLE_INCLUDE_DIR})
target_link_libraries(assay_nettle INTERFACE ${NETTLE_LIBRARY})
target_link_options(assay_nettle INTERFACE -Wl,--exclude-libs,libnettle.a)
set(Boost_USE_STATIC_LIBS ON)
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)

# Headers only: tensor/kernels/processor.cpp stands for the library.
find_path(HIGHWAY_INCLUDE_DIR hwy/highway.h REQUIRED)
add_library(assay_highway INTERFACE)
target_include_directories(assay_highway SYSTEM INTERFACE ${HIGHWAY_INCLUDE_DIR})

# Headers only: linking oneDNN adds 5 ms to every process start, and HDF5 or libcurl (Debian's HDF5 brings libcurl along)
# 12 ms, so they are opened when first used (framework/base/lazy_library.h).
# Debian's dnnl-config insists on the development files of OpenCL, which nothing here uses.
find_path(DNNL_INCLUDE_DIR dnnl.h REQUIRED)
add_library(assay_onednn INTERFACE)
target_include_directories(assay_onednn SYSTEM INTERFACE ${DNNL_INCLUDE_DIR})

find_package(PNG REQUIRED)
add_library(assay_png INTERFACE)
target_include_directories(assay_png SYSTEM INTERFACE ${PNG_INCLUDE_DIRS})

add_library(assay_curl INTERFACE)
target_include_directories(assay_curl SYSTEM INTERFACE ${CURL_INCLUDE_DIRS})
target_link_libraries(assay_curl INTERFACE ${CMAKE_DL_LIBS})

list(GET HDF5_C_LIBRARIES 0 hdf5_library)
get_filename_component(hdf5_library ${hdf5_library} REALPATH)
get_filename_component(hdf5_library ${hdf5_library} NAME)
string(REGEX REPLACE "(\\.so\\.[0-9]+).*" "\\1" hdf5_library ${hdf5_library})
add_library(assay_hdf5 INTERFACE)
target_include_directories(assay_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
target_compile_definitions(assay_hdf5 INTERFACE ASSAY_HDF5_LIBRARY="${hdf5_library}")
