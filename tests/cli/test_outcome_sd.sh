# SPDX-License-Identifier: Apache-2.0
# Results that say how exact they are, as a user of the program meets them.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

cat >throw.yaml <<'YAML'
name: throw
target: {x: [0, 5]}
parameters: {speed: [0, 3], tilt: [0, 1.5]}
outcome: [land, height]
achieved: {x: land}
reward: -distance
learner: {name: outcome, initial: 3}
run: {command: [python3, simulate.py], timeout_s: 30}
YAML
cat >simulate.py <<'PYTHON'
import json, math, sys
for line in sys.stdin:
    a = json.loads(line)
    p = a["parameters"]
    land = p["speed"] ** 2 * math.sin(2 * p["tilt"]) / 2
    print(json.dumps({"ask": a["ask"], "outcome": {"land": land, "height": p["tilt"]},
                      "outcome_sd": {"land": 0.25, "height": 0}}), flush=True)
PYTHON

expect 0 'made throw.fcps' "$fcps" study new throw.fcps --problem throw.yaml
expect 0 'ask 1' "$fcps" study ask throw.fcps --target x=2
expect 2 'outcome_sd.land' "$fcps" study tell throw.fcps 1 --outcome land=1,height=2 --outcome-sd land=-1,height=0
expect 2 'outcome_sd.height' "$fcps" study tell throw.fcps 1 --outcome land=1,height=2 --outcome-sd land=1,height=nan
expect 2 'height is missing' "$fcps" study tell throw.fcps 1 --outcome land=1,height=2 --outcome-sd land=1
expect 2 'give it with --outcome' "$fcps" study tell throw.fcps 1 --no-outcome --outcome-sd land=1,height=1
expect 0 'stored result' "$fcps" study tell throw.fcps 1 --outcome land=1,height=2 --outcome-sd land=0.5,height=0
expect 0 'outcome land=1  height=2   sd land=0.5  height=0' "$fcps" study log throw.fcps
expect 0 '"outcome_sd":{"land":0.5,"height":0.0}' "$fcps" study log throw.fcps --json
expect 0 'land,height,land_sd,height_sd,reward' "$fcps" study export throw.fcps
cp out throw.csv
expect 0 'made copy.fcps' "$fcps" study new copy.fcps --problem throw.yaml
expect 0 'imported 1 result' "$fcps" study import copy.fcps throw.csv
expect 0 '"outcome_sd":{"land":0.5,"height":0.0}' "$fcps" study log copy.fcps --json

# a program tells its own deviations, and a run that is repeated shows them
expect 0 '"outcome_sd":{"land":0.25,"height":0.0}' "$fcps" run throw.yaml --store run.fcps -n 3 --json
expect 0 '"outcome_sd":{"land":0.25,"height":0.0}' "$fcps" study log run.fcps --json

# without deviations a table has no column for them
expect 0 'made plain.fcps' "$fcps" study new plain.fcps --problem throw.yaml
expect 0 'stored' "$fcps" study tell plain.fcps --target x=1 --executed speed=1,tilt=1 --outcome land=1,height=2
expect 0 'land,height,reward' "$fcps" study export plain.fcps
exit $failed
