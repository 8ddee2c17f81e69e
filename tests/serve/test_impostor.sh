# SPDX-License-Identifier: Apache-2.0
# Who listens where a server is expected, and does not know the token; see impostor.py.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
need python3 python3
need_serve
PYTHONDONTWRITEBYTECODE=1 python3 "$FCPS_SOURCE_DIR/tests/serve/impostor.py" "$fcps" "$folder"
