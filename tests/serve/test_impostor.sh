# SPDX-License-Identifier: Apache-2.0
# A listener in place of a server, without the token; see impostor.py.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
need python3 python3
need_serve
PYTHONDONTWRITEBYTECODE=1 python3 "$FCPS_SOURCE_DIR/tests/serve/impostor.py" "$fcps" "$folder"
