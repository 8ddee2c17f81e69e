# SPDX-License-Identifier: Apache-2.0
# Numbers as people type them into the page, with commas, units and other marks; see numbers.py. The function that reads them
# is tried in node and in Chromium, the forms in Chromium. If one of the two is missing, the test says so and tries the other.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
need python3 python3
set --
if command -v node >/dev/null; then set -- --node node; else echo 'skipped: node is missing (Debian: nodejs): number.js is tried in the browser alone'; fi
if ! command -v chromium >/dev/null; then
  echo 'skipped: chromium is missing (Debian: chromium): the forms are not tried'
elif "$fcps" serve x.fcps 2>&1 | grep -q 'built without libevent'; then
  echo 'skipped: fcps was built without libevent (Debian: libevent-dev): the forms are not tried'
else
  set -- "$@" --browser chromium
fi
[ "$#" -gt 0 ] || exit 77
PYTHONDONTWRITEBYTECODE=1 python3 "$FCPS_SOURCE_DIR/tests/serve/numbers.py" "$fcps" "$folder" "$FCPS_SOURCE_DIR/src/serve/page/number.js" "$@"
