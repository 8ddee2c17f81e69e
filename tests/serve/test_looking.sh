# SPDX-License-Identifier: Apache-2.0
# Looking around in the page, in a real browser; see looking.py. Needs Chromium (package chromium). axe-core judges cards and
# forms if `scripts/setup --full` has fetched it.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
need python3 python3
need chromium chromium
need_serve
set -- chromium
axe=$FCPS_SOURCE_DIR/.deps/axe/axe_playwright_python/axe.min.js
[ -f "$axe" ] && set -- chromium --axe "$axe"
PYTHONDONTWRITEBYTECODE=1 python3 "$FCPS_SOURCE_DIR/tests/serve/looking.py" "$fcps" "$folder" "$@"
