# SPDX-License-Identifier: Apache-2.0
# Attempts to lose results, or to send them to the wrong study; see doors.py.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
need python3 python3
need_serve
PYTHONDONTWRITEBYTECODE=1 python3 "$FCPS_SOURCE_DIR/tests/serve/doors.py" "$fcps" "$folder"
