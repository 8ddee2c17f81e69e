# SPDX-License-Identifier: Apache-2.0
# Every route of `fcps serve`, over HTTP; see api.py.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
need python3 python3
need_serve
PYTHONDONTWRITEBYTECODE=1 python3 "$FCPS_SOURCE_DIR/tests/serve/api.py" "$fcps" "$folder"
