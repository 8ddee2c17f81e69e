# SPDX-License-Identifier: Apache-2.0
# Leases over HTTP, for workers on other machines; see leases.py.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
need python3 python3
need_serve
PYTHONDONTWRITEBYTECODE=1 python3 "$FCPS_SOURCE_DIR/tests/serve/leases.py" "$fcps" "$folder"
