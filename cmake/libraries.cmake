# The libraries from outside. Each is used by the one folder that cmake/folders.cmake links it to.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(TBB REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(CURL REQUIRED)
find_package(dnnl REQUIRED CONFIG)
find_package(hwy REQUIRED CONFIG)
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
find_package(HDF5 REQUIRED COMPONENTS C)

# Debian's hwy-config names its target without the libraries' folder on some releases: one name for us.
add_library(assay_highway INTERFACE)
target_link_libraries(assay_highway INTERFACE hwy::hwy)

add_library(assay_hdf5 INTERFACE)
target_include_directories(assay_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
target_link_libraries(assay_hdf5 INTERFACE ${HDF5_C_LIBRARIES})
