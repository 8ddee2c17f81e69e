# SPDX-License-Identifier: Apache-2.0
# The page in a real browser; see page.py. Needs Chromium (package chromium). The long form (FCPS_TEST_LONG) tries the whole
# page, and lets axe-core judge it if `scripts/setup --full` has fetched it.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
need python3 python3
need chromium chromium
need_serve
set -- chromium
if [ -n "${FCPS_TEST_LONG-}" ]; then
  axe=$FCPS_SOURCE_DIR/.deps/axe/axe_playwright_python/axe.min.js
  [ -f "$axe" ] && set -- chromium --whole --axe "$axe" || set -- chromium --whole
  [ -f "$axe" ] || echo 'no axe-core here (scripts/setup --full fetches it): only names are checked'
fi
PYTHONDONTWRITEBYTECODE=1 python3 "$FCPS_SOURCE_DIR/tests/serve/page.py" "$fcps" "$folder" "$@"
