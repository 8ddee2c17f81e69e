# SPDX-License-Identifier: Apache-2.0
# `fcps study amend --learner` and `--set` as a user meets them: what they print, what status, log and run then say, and that
# nothing changes if an argument is wrong.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

cat >throw.yaml <<'YAML'
name: throw
target: {x: [0, 5]}
environment: {wind: [-1, 1]}
parameters: {speed: {range: [0, 3], unit: m/s}, tilt: [0, 1.5]}
outcome: [land]
achieved: {x: land}
reward: "present ? -distance : -9"
learner: {name: outcome, initial: 4}
run: {command: [python3, simulate.py], timeout_s: 30}
YAML
cat >simulate.py <<'PYTHON'
import json, math, sys
for line in sys.stdin:
    a = json.loads(line)
    p = a["parameters"]
    land = p["speed"] ** 2 * math.sin(2 * p["tilt"]) / 2 + a["environment"]["wind"]
    print(json.dumps({"ask": a["ask"], "outcome": {"land": land}}), flush=True)
PYTHON
"$fcps" run throw.yaml -n 5 -q --store throw.fcps >/dev/null || complain 'the run failed'
expect 0 '^settings  *initial=4$' "$fcps" study status throw.fcps

# mistakes change nothing
before=$(cksum <throw.fcps)
expect 2 'kapa: .*did you mean kappa' "$fcps" study amend throw.fcps --set kapa=1
expect 2 'kappa: "high"' "$fcps" study amend throw.fcps --set initial=5 --set kappa=high
expect 2 'did you mean bo-fcps' "$fcps" study amend throw.fcps --learner bo-fcsp
expect 2 'give one of' "$fcps" study amend throw.fcps --learner bo-fcps --reward '-distance'
expect 2 'give one of' "$fcps" study amend throw.fcps
expect 2 'NAME=VALUE' "$fcps" study amend throw.fcps --set kappa
[ "$(cksum <throw.fcps)" = "$before" ] || complain 'a mistake has changed the study'

# a change is reported, stored and shown
expect 0 '^learner outcome, initial=4 kappa=0.4$' "$fcps" study amend throw.fcps --set kappa=0.4
expect 0 '^settings  *initial=4 kappa=0.4$' "$fcps" study status throw.fcps
expect 0 '"settings":{"initial":"4","kappa":"0.4"}' "$fcps" study status throw.fcps --json
expect 0 '^setting.kappa: [0-9.]* -> 0.4$' "$fcps" study log throw.fcps
expect 0 '^learner bo-fcps, the defaults$' "$fcps" study amend throw.fcps --learner bo-fcps
grep -q 'no longer count: initial=4 kappa=0.4' out || complain "no word of the old settings: $(cat out)"
expect 0 '^learner: outcome -> bo-fcps$' "$fcps" study log throw.fcps
expect 0 'learner bo-fcps' "$fcps" study status throw.fcps
expect 0 '^reward' "$fcps" study check-model throw.fcps

# a run continues with the new learner; the file may name the old learner or the new one
"$fcps" run throw.yaml -n 7 -q --store throw.fcps >/dev/null || complain 'the run does not go on after an amendment'
sed 's/^learner:.*/learner: bo-fcps/' throw.yaml >new.yaml
"$fcps" run new.yaml -n 8 -q --store throw.fcps >/dev/null || complain 'the run refuses a file that says the new learner'
sed 's/^learner:.*/learner: {name: bo-fcps, kappa: 7}/' throw.yaml >other.yaml
expect 2 'learner: differs from the study.*fcps study amend .*throw.fcps --learner NAME --set NAME=VALUE' \
  "$fcps" run other.yaml -n 9 -q --store throw.fcps
expect 2 'fcps study amend throw.fcps --learner NAME' "$fcps" run throw.yaml --learner outcome -n 9 -q --store throw.fcps
expect 2 'fcps study amend throw.fcps --set NAME=VALUE' "$fcps" run throw.yaml --set kappa=9 -n 9 -q --store throw.fcps
expect 0 '^rollouts  *8 results' "$fcps" study status throw.fcps

# a run follows an amendment by another process, also between learners that choose contexts and learners that do not
cat >amending.py <<'PYTHON'
import json, os, subprocess, sys
for line in sys.stdin:
    a = json.loads(line)
    if a["ask"] in (3, 6):
        learner = "bo-fcps" if a["ask"] == 3 else "outcome-active"
        subprocess.run([os.environ["FCPS"], "study", "amend", "both.fcps", "--learner", learner],
                       check=True, stdout=subprocess.DEVNULL)
    print(json.dumps({"ask": a["ask"], "outcome": {"land": a["parameters"]["speed"]}}), flush=True)
PYTHON
sed 's/simulate.py/amending.py/; s/^learner:.*/learner: {name: outcome-active, initial: 2}/' throw.yaml >both.yaml
FCPS=$fcps "$fcps" run both.yaml -n 8 -q --store both.fcps >out 2>err || complain "the run does not follow: $(cat out err)"
expect 0 '^learner: bo-fcps -> outcome-active$' "$fcps" study log both.fcps
expect 0 '^rollouts  *8 results: 8 with an outcome' "$fcps" study status both.fcps

# a study of a task as well, also from a learner that chooses its contexts to one that does not
"$fcps" run cannon -n 4 -q -l outcome-active --no-figure -e -1 --out cannon --store cannon.fcps >/dev/null || complain 'no cannon'
expect 0 '^learner bo-fcps, kappa=0.6$' "$fcps" study amend cannon.fcps --learner bo-fcps --set kappa=0.6
"$fcps" run cannon -n 6 -q --no-figure -e -1 --out cannon --store cannon.fcps >/dev/null || complain 'the cannon does not go on'
expect 0 '^rollouts  *6 results' "$fcps" study status cannon.fcps
exit $failed
