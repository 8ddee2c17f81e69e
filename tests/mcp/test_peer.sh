# SPDX-License-Identifier: Apache-2.0
# The protocol's own Python package is a client of `fcps mcp`; see peer.py.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
need python3 python3
cat >throw.yaml <<'END'
name: throw
target: {mark: {range: [-1, 1], unit: m}}
environment: {wind: [-0.2, 0.2]}
parameters: {tilt: [0, 1], speed: [0, 1]}
outcome: [land]
reward: -abs(mark-land)
END
"$fcps" study new throw.fcps --problem throw.yaml --seed 1 >/dev/null
code=0
PYTHONDONTWRITEBYTECODE=1 python3 "$FCPS_SOURCE_DIR/tests/mcp/peer.py" "$fcps" throw.fcps >out 2>&1 || code=$?
[ "$code" -ne 77 ] || lack 'python3 with the package mcp is not here (scripts/setup --full installs it)'
[ "$code" -eq 0 ] || cat out
exit "$code"
