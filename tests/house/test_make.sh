# SPDX-License-Identifier: Apache-2.0
# `make build` does what the pages say: afterwards build/python has the package. Before, not even its folder exists, because
# Python would import an empty folder as a package. Nothing is built here: the build says what it would make.
set -eu
if [ ! -e "$FCPS_BINARY_DIR/python/interpreter" ]; then
  echo "skipped: the Python package is not built; it needs $(cat "$FCPS_BINARY_DIR/python/missing")"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake -S "$FCPS_SOURCE_DIR" -B "$work/build" -G Ninja -DCMAKE_C_COMPILER="$CC" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
[ ! -e "$work/build/python/fcps" ] || { echo 'build/python/fcps is there before it is built'; exit 1; }

targets=$(make -n -C "$FCPS_SOURCE_DIR" build | sed -n 's/.*cmake --build --preset release --target \(.*\)/\1/p')
[ -n "$targets" ] || { echo 'the targets of make build were not found'; exit 1; }
# shellcheck disable=SC2086
ninja -C "$work/build" -t commands $targets >"$work/commands"
for part in __init__.py _study.py _fcps; do
  grep -q "$work/build/python/fcps/$part" "$work/commands" || { echo "make build leaves build/python without $part"; exit 1; }
done

# a module that was renamed leaves a build folder, where it could still be imported
mkdir -p "$work/build/python/fcps"
touch "$work/build/python/fcps/renamed.py"
cmake "$work/build" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
[ ! -e "$work/build/python/fcps/renamed.py" ] || { echo 'build/python/fcps keeps a module that is gone'; exit 1; }
