# Shared by run.sh and test.sh: installs what is missing on Debian 12, configures and builds a preset.
# shellcheck shell=sh
# Sourced, not run. A second time needs neither the network nor root.

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)

packages="g++ cmake ninja-build ccache pkg-config libtbb-dev libyaml-cpp-dev libhdf5-dev libdnnl-dev libhwy-dev
libfmt-dev nlohmann-json3-dev nettle-dev libcurl4-openssl-dev libpng-dev libboost-program-options-dev libgtest-dev python3
python3-h5py python3-jsonschema python3-yaml"

say() { printf '%s\n' "$*" >&2; }
fail() { say "error: $*"; exit 1; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo "$@"
  else
    fail "these packages must be installed as root, and there is no sudo: $missing"
  fi
}

# install_packages [NAME...]: what Assay needs, and these, as far as they are not there yet.
install_packages() {
  command -v dpkg-query >/dev/null 2>&1 || fail "set-up knows Debian only; install yourself: $packages $*"
  missing=
  for package in $packages "$@"; do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || state=
    [ "$state" = installed ] || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  say "installing:$missing"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q >&2 ||
    say "apt-get update failed; trying with the lists there are"
  # shellcheck disable=SC2086  # a list of names: it must split
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing >&2 ||
    fail "apt-get could not install:$missing"
}

# build_preset NAME: configures and builds in build/NAME, quietly unless it fails.
build_preset() {
  preset=$1
  log=$root/build/$preset.log
  mkdir -p "$root/build"
  (cd "$root" && cmake --preset "$preset" && cmake --build --preset "$preset") >"$log" 2>&1 || {
    tail -n 60 "$log" >&2
    fail "the build of preset $preset failed; all of its output: $log"
  }
}
