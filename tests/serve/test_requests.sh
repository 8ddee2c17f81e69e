# SPDX-License-Identifier: Apache-2.0
# A command on a study behind a server is one request.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
need_serve
need python3 python3
cp "$FCPS_SOURCE_DIR/examples/simulator/throw.yaml" .
PYTHONDONTWRITEBYTECODE=1 python3 "$FCPS_SOURCE_DIR/tests/serve/requests.py" "$fcps" "$folder"
