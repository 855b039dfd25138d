#!/bin/sh
# Builds Assay and runs all tests: sh cmake/test.sh
set -eu
# shellcheck source=cmake/setup.sh
. "$(dirname -- "$0")/setup.sh"

install_packages
say "building (the first time takes some minutes)"
build_preset release
cd "$root"
ctest --preset release --parallel "$(nproc)"
