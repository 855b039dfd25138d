#!/bin/sh
# Builds Assay and runs experiments: sh cmake/run.sh [FILE.yaml ...]   (default: experiments/quickstart.yaml)
set -eu
# shellcheck source=cmake/setup.sh
. "$(dirname -- "$0")/setup.sh"

install_packages
say "building (the first time takes some minutes)"
build_preset release
[ "$#" -gt 0 ] || set -- "$root/experiments/quickstart.yaml"
for experiment in "$@"; do
  "$root/build/release/bin/assay" run "$experiment"
done
