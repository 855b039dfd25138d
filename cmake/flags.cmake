# Flags that every target shares. Same bits everywhere needs -ffp-contract=off and forbids -ffast-math
# (shared by plugins: the loader refuses one that switches the floating-point mode).
set(ASSAY_SANITIZE "" CACHE STRING "Sanitizers, such as address,undefined or thread")

# What plugins need too, also those built elsewhere: flags that change the code, and g++'s false warning.
add_library(assay_code INTERFACE)
set_target_properties(assay_code PROPERTIES EXPORT_NAME code)
target_compile_options(assay_code INTERFACE -ffp-contract=off -fno-math-errno -fno-trapping-math)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 warns of overlapping copies in its own std::string operator+ (GCC bug 105329).
  target_compile_options(assay_code INTERFACE -Wno-restrict)
endif()

add_library(assay_flags INTERFACE)
target_link_libraries(assay_flags INTERFACE assay_code)
target_compile_options(assay_flags INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
target_link_options(assay_flags INTERFACE -Wl,--as-needed -Wl,-z,now)

if(ASSAY_SANITIZE)
  target_compile_options(assay_code INTERFACE -fsanitize=${ASSAY_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(assay_code INTERFACE -fsanitize=${ASSAY_SANITIZE})
  if(ASSAY_SANITIZE MATCHES "thread")
    # ThreadSanitizer cannot see into Debian's TBB: loops then run on threads of our own.
    target_compile_definitions(assay_flags INTERFACE ASSAY_THREADS_WITHOUT_TBB)
  endif()
endif()
