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
grep -q 'rollouts  *25 results: 25 with an outcome, 0 without, 0 failed' out

# the examples of the help work with the file that they name; the others need numbers of asks that are not there
PATH=$(dirname "$fcps"):$PATH
rm throw.fcps
for command in study 'study ask' 'study best' policy 'policy query'; do
  fcps $command --help | sed -n '/^Example/,$ s/^ *\(fcps .*\)/\1/p' >commands
  [ -s commands ] || { echo "the help of $command has no example"; exit 1; }
  sh -e commands >out 2>err || { echo "the example of $command fails: $(cat commands err)"; exit 1; }
done

# two tasks of the array, here at once
"$fcps" study new array.fcps --problem throw.yaml --learner random >out
for task in 1 2; do
  FCPS=$fcps SLURM_ARRAY_TASK_ID=$task sh "$FCPS_SOURCE_DIR/examples/slurm/work.sh" array.fcps throw.yaml 6 2>"err$task" &
done
wait
[ "$("$fcps" study log array.fcps --json | wc -l)" -eq 6 ] || { echo "the array: $(cat err1 err2)"; exit 1; }

# two hosts, with a stand-in for ssh that runs the command here
if ! "$fcps" serve x.fcps 2>&1 | grep -q 'built without libevent'; then
  mkdir bin
  cat >bin/ssh <<'SH'
#!/bin/sh
for word; do command=$word; done
exec sh -c "$command"
SH
  chmod +x bin/ssh
  "$fcps" study new hosts.fcps --problem throw.yaml --learner random >out
  PATH=$folder/bin:$PATH XDG_STATE_HOME=$folder/state FCPS=$fcps FCPS_REMOTE=$fcps \
    sh "$FCPS_SOURCE_DIR/examples/ssh/work.sh" hosts.fcps throw.yaml 6 one two >out 2>err || { echo "ssh: $(cat out err)"; exit 1; }
  [ "$("$fcps" study log hosts.fcps --json | wc -l)" -eq 6 ] || { echo "ssh: $(cat out err)"; exit 1; }
else
  echo 'skipped: the example with ssh, without libevent'
fi

FCPS=$fcps sh "$FCPS_SOURCE_DIR/examples/robot/loop.sh" 6 robot.fcps >out
FCPS=$fcps sh "$FCPS_SOURCE_DIR/examples/robot/loop.sh" 12 robot.fcps >out # goes on
grep -q 'parameters   speed=' out
[ "$("$fcps" study log robot.fcps --json | wc -l)" -eq 12 ]

# a robot does not move if its ask is refused
cat >refusing <<SH
#!/bin/sh
[ "\$2" != ask ] || { echo 'fcps: no space' >&2; exit 4; }
exec "$fcps" "\$@"
SH
chmod +x refusing
got=0
ask=12 speed=3 tilt=0.7 FCPS=./refusing sh "$FCPS_SOURCE_DIR/examples/robot/loop.sh" 14 robot.fcps >out 2>err || got=$?
[ "$got" -eq 4 ] || { echo "a refused ask ended the loop with $got: $(cat out err)"; exit 1; }
! grep -q stored out || { echo 'the robot moved without an ask'; exit 1; }
