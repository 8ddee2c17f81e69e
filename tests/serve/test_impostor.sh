# SPDX-License-Identifier: Apache-2.0
# Who listens where a server is expected, and does not know the token; see impostor.py.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
command -v python3 >/dev/null || { echo 'no python3 here: skipped'; exit 77; }
"$fcps" serve x.fcps 2>&1 | grep -q 'built without libevent' && { echo 'built without libevent: skipped'; exit 77; }
PYTHONDONTWRITEBYTECODE=1 python3 "$FCPS_SOURCE_DIR/tests/serve/impostor.py" "$fcps" "$folder"
