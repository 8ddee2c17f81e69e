# SPDX-License-Identifier: Apache-2.0
# The examples that drive fcps from outside run to their end and learn something.
set -eu
fcps=$FCPS_BINARY_DIR/fcps
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cp "$FCPS_SOURCE_DIR"/examples/simulator/* .
"$fcps" run throw.yaml --episodes 25 --store throw.fcps --quiet >out
[ "$(wc -l <out)" -eq 25 ]
"$fcps" study status throw.fcps >out
grep -q 'rollouts  *25, of which 0 failed' out

FCPS=$fcps sh "$FCPS_SOURCE_DIR/examples/robot/loop.sh" 6 robot.fcps >out
FCPS=$fcps sh "$FCPS_SOURCE_DIR/examples/robot/loop.sh" 12 robot.fcps >out # goes on
grep -q 'parameters   speed=' out
[ "$("$fcps" study log robot.fcps --json | wc -l)" -eq 12 ]
