#!/bin/sh
# Fuzzes with libFuzzer, clang and sanitizers: sh tests/fuzz/run.sh SECONDS [yaml|override|composition|journal|result ...]
# Inputs that reach new code are kept in build/fuzz/<target>_corpus, those that crash in build/fuzz.
set -eu
# shellcheck source=../../cmake/setup.sh
. "$(dirname -- "$0")/../../cmake/setup.sh"
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)  # setup.sh takes it for that of its own folder

seconds=${1:?usage: sh tests/fuzz/run.sh SECONDS [TARGET ...]}
shift
[ $# -gt 0 ] || set -- yaml override composition journal result
install_packages clang-14 libclang-rt-14-dev
cd "$root"
mkdir -p build
say "building with clang and libFuzzer in build/fuzz"
cmake --preset clang -B build/fuzz -DASSAY_FUZZ=ON >build/fuzz.log 2>&1 || fail "see build/fuzz.log"
for target; do
  cmake --build build/fuzz --target "${target}_fuzz" >>build/fuzz.log 2>&1 || fail "see build/fuzz.log"
  mkdir -p "build/fuzz/${target}_corpus"
  case $target in
    journal | result) leaks=0 ;;  # HDF5 keeps some memory of images that it refuses
    *) leaks=1 ;;
  esac
  (cd build/fuzz && ASAN_OPTIONS=detect_leaks=$leaks bin/"${target}_fuzz" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 \
    "${target}_corpus" "$root/tests/fuzz/${target}_corpus")
done
