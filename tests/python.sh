# SPDX-License-Identifier: Apache-2.0
# One file of tests of the Python package, in the build tree: python.sh FILE. Skipped, with the reason, where the package is
# not built or pytest is missing.
set -eu
package=$FCPS_BINARY_DIR/python

if [ ! -e "$package/interpreter" ]; then
  echo "skipped: the Python package is not built; it needs $(cat "$package/missing")"
  exit 77
fi
python=$(cat "$package/interpreter")
lacking=$("$python" -c 'import importlib.util as of
print(next((name for name in ("cffi", "numpy", "pytest") if of.find_spec(name) is None), ""))')
if [ -n "$lacking" ]; then
  echo "skipped: $python has no $lacking; Debian: python3-$lacking"
  exit 77
fi
export PYTHONPATH="$package:$FCPS_SOURCE_DIR/python/tests" PYTHONDONTWRITEBYTECODE=1
export FCPS_PROGRAM="$FCPS_BINARY_DIR/fcps" FCPS_PYTHON_ASKS="$package/python_asks"
status=0
"$python" -m pytest -q -rs -c "$FCPS_SOURCE_DIR/python/pyproject.toml" --rootdir "$FCPS_SOURCE_DIR/python" "$1" || status=$?
[ "$status" -ne 5 ] || status=77 # no test was run: all were skipped, for the reasons above
exit "$status"
