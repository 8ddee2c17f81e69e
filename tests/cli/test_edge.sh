# SPDX-License-Identifier: Apache-2.0
# Failures at an edge do not stop a run whose study has results that ended well. A machine that breaks stops it soon, and the
# run says how to continue.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

cat >edge.py <<'PY'
import json, os, sys
for line in sys.stdin:
    t = json.loads(line)
    answer = {"failed": "torn"} if t["ask"] > int(os.environ["GOOD"]) else {"outcome": {"o": 10 * t["parameters"]["p"]}}
    print(json.dumps({"ask": t["ask"], **answer}), flush=True)
PY
cat >edge.yaml <<'YAML'
name: edge
target: {want: [0, 10]}
parameters: {p: [0, 1]}
outcome: [o]
reward: -abs(o - want)
learner: random
run: {command: [python3, edge.py], timeout_s: 30}
YAML
run() { GOOD=$1 "$fcps" run edge.yaml --episodes "$2" --no-figure; }

# six trials ended well: six failures more are no reason to stop, nor to report a failure
expect 0 '6 results: 6 with an outcome' run 6 6
expect 0 '12 results: 6 with an outcome, 0 without, 6 failed' run 6 12
expect 0 '13 results: 6 with an outcome, 0 without, 7 failed' run 6 13

# twelve ended well: if all fail from now on, the run notices after eleven trials, and the same command counts anew
rm edge.fcps
expect 0 '12 results: 12 with' run 12 12
expect 7 'E_FAILURE_RATE: .*11 of 11 rollouts failed.*The study has 12 from before that ended well.*The last that failed: torn' run 12 40
grep -q 'the same command goes on' err || complain "nobody says how it goes on: $(cat err)"
expect 0 '40 results: 29 with an outcome, 0 without, 11 failed' run 99 40

# no trial ever ended well: five failures are enough, as before
rm edge.fcps
expect 7 'E_FAILURE_RATE: .*5 of 5 rollouts failed, so the run stops: all 5 trials failed' run 0 40
grep -q 'the same command goes on' err || complain "nobody says how it goes on: $(cat err)"
expect 7 'E_FAILURE_RATE: .*5 of 5 rollouts failed, so the run stops: all 10 trials failed' run 0 40
exit $failed
