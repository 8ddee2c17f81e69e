# SPDX-License-Identifier: Apache-2.0
# Difficulties of people who had never used `fcps serve`; see strangers.py.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
need python3 python3
need_serve
PYTHONDONTWRITEBYTECODE=1 python3 "$FCPS_SOURCE_DIR/tests/serve/strangers.py" "$fcps" "$folder"
