# SPDX-License-Identifier: Apache-2.0
# Rewards and outcomes that are not finite, trials without an outcome, and runs in which no trial ends well: each is counted
# and named, with what to do.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

# the program: "nan" answers NaN; "mixed" has no outcome for one ask in three and fails one in ten; "none" never has an
# outcome; "power" always fails; "broken" answers NaN from ask 4 on
cat >press.py <<'END'
import json, sys
mode = sys.argv[1]
for line in sys.stdin:
    trial = json.loads(line)
    n, p = trial["ask"], trial["parameters"]
    answer = {"outcome": {"mass": 2 * p["dose"] + p["heat"] + trial["environment"]["age"] / 10}}
    if mode == "nan" or (mode == "broken" and n > 3):
        answer = {"outcome": {"mass": "nan"}}
    if mode == "none" or (mode == "mixed" and n % 3 == 0):
        answer = {"outcome": None}
    if mode == "power" or (mode == "mixed" and n % 10 == 0):
        answer = {"failed": "no power" if n % 2 else "fuse %d" % n}
    print(json.dumps({"ask": n, **answer}), flush=True)
END
problem() { # MODE REWARD
  cat <<END
name: press
target: {wanted: [10, 40]}
environment: {age: [2, 40]}
parameters: {dose: [0, 10], heat: [0, 20]}
outcome: {mass: [0, 60]}
achieved: {wanted: mass}
reward: "$2"
learner: {name: outcome, initial: 3}
run: {command: [python3, press.py, $1], timeout_s: 30}
END
}
problem mixed 'present ? -distance : -50' >mixed.yaml
problem mixed '-distance' >bare.yaml
problem nan '-distance' >nan.yaml
problem none 'present ? -distance : -50' >none.yaml
problem none '-distance' >none-bare.yaml
problem power '-distance' >power.yaml
problem broken '-distance' >broken.yaml

# --- trials without an outcome have that name, and are counted -------------------------------------------------------
expect 0 '20 results: 12 with an outcome, 6 without, 2 failed' "$fcps" run mixed.yaml --episodes 20 --store mixed.fcps
grep -q '^ *3  no outcome  reward -50' out || complain "run does not name a trial without an outcome: $(cat out)"
grep -q '^ *10  failed ' out || complain "run does not name a failed trial: $(cat out)"
expect 0 '20 results: 12 with an outcome, 6 without, 2 failed' "$fcps" study status mixed.fcps
expect 0 '"with_outcome":12,"without_outcome":6,"failed":2' "$fcps" study status mixed.fcps --json
expect 0 '^3.1  no outcome  reward -50' "$fcps" study log mixed.fcps
expect 0 '"ask":3,"status":"no outcome"' "$fcps" study log mixed.fcps --json
expect 0 '^3,no outcome,' "$fcps" study export mixed.fcps
"$fcps" study export mixed.fcps -o mixed.csv
expect 0 'learner outcome' "$fcps" study new again.fcps --problem mixed.yaml
expect 0 'imported 20' "$fcps" study import again.fcps mixed.csv
expect 0 '20 results: 12 with an outcome, 6 without, 2 failed' "$fcps" study status again.fcps
sed 's/^1,ok,/1,no outcome,/' mixed.csv >wrong.csv
expect 2 'wrong.csv:2: status: .*no outcome' "$fcps" study import again.fcps wrong.csv
expect 0 '"status":"no outcome"' "$fcps" run mixed.yaml --episodes 21 --store mixed.fcps --json

# --- a reward that is never finite stops a run, and says why ---------------------------------------------------------
expect 2 '--reward: none of the 12 stored results .*1/0.* is inf.*--force' "$fcps" study amend mixed.fcps --reward '1/0*dose'
expect 0 'reward  *present ' "$fcps" study status mixed.fcps
expect 2 '--reward: none of .*log(dose - 100).* is nan where dose=' "$fcps" study amend mixed.fcps \
  --reward '2 + log(dose - 100)/heat'
expect 0 '12 of the 19 stored results .*finite reward' "$fcps" study amend mixed.fcps --reward 'present ? -distance : log(-dose)'
grep -q 'W_NO_REWARD: 7 of the 21' err || complain "no word about the others: $(cat err)"
expect 0 'amended' "$fcps" study amend mixed.fcps --reward '1/0*dose' --force
expect 0 'not finite' "$fcps" study status mixed.fcps
grep -q '1/0.* is inf' out || complain "status does not say why no reward is finite: $(cat out)"
expect 0 '"rewards_not_finite":1[0-9]' "$fcps" study status mixed.fcps --json
before=$("$fcps" study log mixed.fcps | grep -c 'reward')
sed 's|^reward:.*|reward: "1/0*dose"|' mixed.yaml >never.yaml
expect 7 'E_NO_REWARD: .*1/0\*dose.*1/0.* is inf.*amend mixed.fcps --reward' "$fcps" run never.yaml --store mixed.fcps --episodes 40
[ "$("$fcps" study log mixed.fcps | grep -c 'reward')" -le $((before + 1)) ] || complain 'trials were done for nothing'
expect 7 'E_NO_REWARD: .*1/0' "$fcps" run never.yaml --store never.fcps --episodes 40
expect 0 '7 results: 5 with an outcome, 2 without' "$fcps" study status never.fcps

# a program that answers NaN
expect 7 'E_NO_REWARD: .*mass.* is nan' "$fcps" run nan.yaml --store nan.fcps --episodes 40
grep -q '^ *1  not finite ' out || complain "run shows a NaN as: $(cat out)"
expect 0 '5 results: 5 with an outcome, 0 without, 0 failed' "$fcps" study status nan.fcps
grep -q 'not finite  *5 outcomes' out || complain "status does not count outcomes that are not finite: $(cat out)"
expect 7 'E_NO_REWARD' "$fcps" run nan.yaml --store one.fcps --episodes 1
# status names each, and does not confuse them with trials without an outcome, from which a model learns
"$fcps" study new kinds.fcps --problem bare.yaml >/dev/null
kind() { "$fcps" study tell kinds.fcps --target wanted=20 --environment age=3 --executed dose=$1,heat=5 "$2" $3 >/dev/null 2>&1; }
kind 1 --outcome mass=7 && kind 2 --outcome mass=nan && kind 3 --outcome mass=inf && kind 4 --no-outcome ''
expect 0 'not finite  *2 outcomes and 0 rewards, whose numbers no model uses: [0-9]* (outcome "mass" is nan), [0-9]* (outcome "mass" is inf)$' "$fcps" study status kinds.fcps
grep -q 'no reward  *1 result without an outcome: the model learns from it which trials have none' out || complain "no word of the trial without an outcome: $(cat out)"
# after the program is mended, the run continues: wrong measurements say nothing about the next trial
problem fine '-distance' >fine-nan.yaml
expect 0 '8 results: 8 with an outcome' "$fcps" run fine-nan.yaml --store nan.fcps --episodes 8
# a program that began well, and then answers NaN more often than not
expect 7 'E_NO_REWARD: .*mass.* is nan' "$fcps" run broken.yaml --store broken.fcps --episodes 40
expect 0 '7 results: 7 with an outcome' "$fcps" study status broken.fcps
# after the program is mended, its wrong results are dropped
problem mixed '-distance' >mended.yaml
expect 0 'dropped 4 results' "$fcps" study amend broken.fcps --drop not-finite
sed 's/, mixed\]/, fine]/' mended.yaml >fine.yaml
expect 0 '5 results: 5 with an outcome' "$fcps" run fine.yaml --store broken.fcps --episodes 9

# --- nothing ever ends well ------------------------------------------------------------------------------------------
expect 7 'E_FAILURE_RATE: .*5 of 5 rollouts failed.*3 x "no power"' "$fcps" run power.yaml --store power.fcps --episodes 40
grep -q 'parameters.*amend power.fcps --drop failed' err || complain "no word about innocent parameters: $(cat err)"
expect 0 'no power' "$fcps" study status power.fcps
grep -q 'amend power.fcps --drop failed' out || complain "status says nothing of it: $(cat out)"
expect 0 'dropped 5 results' "$fcps" study amend power.fcps --drop failed
expect 0 '0 results: 0 with an outcome, 0 without, 0 failed; 5 more not used' "$fcps" study status power.fcps
expect 0 'dropped 0 results' "$fcps" study amend power.fcps --drop failed
expect 2 'no result' "$fcps" study amend power.fcps --drop no-outcome
expect 0 'W_NOTHING_ENDS_WELL: .*none of .*has an outcome' "$fcps" run none.yaml --store none.fcps --episodes 6
[ "$(grep -c W_NOTHING_ENDS_WELL err)" -eq 1 ] || complain "not said once: $(cat err)"
expect 7 'E_NO_REWARD: .*outcome' "$fcps" run none-bare.yaml --store none-bare.fcps --episodes 6
expect 0 '6 results: 0 with an outcome, 6 without, 0 failed' "$fcps" study status none-bare.fcps
expect 0 'amended' "$fcps" study amend mixed.fcps --reward 'present ? -distance : -50'
expect 0 'dropped 2 results' "$fcps" study amend mixed.fcps --drop 1.1,2.1
# most trials failed, and without messages: the run says how they ended, also if the last one went well
cat >mostly.sh <<'SH'
#!/bin/sh
while read -r line; do
  ask=$(echo "$line" | sed 's/.*"ask": *\([0-9]*\).*/\1/')
  if [ "$ask" -le 4 ] && [ "$ask" -ne 1 ]; then echo "{\"ask\": $ask, \"failed\": \"\"}"
  else echo "{\"ask\": $ask, \"outcome\": {\"mass\": 20}}"; fi
done
SH
chmod +x mostly.sh
sed 's/command: \[.*\], timeout/command: [.\/mostly.sh], timeout/' fine.yaml >mostly.yaml
expect 7 'E_FAILURE_RATE: .*3 of 5 rollouts failed.*The last that failed: [a-z]' "$fcps" run mostly.yaml --store mostly.fcps --episodes 9

# --- an outcome outside its range is said ----------------------------------------------------------------------------
expect 0 'ask' "$fcps" study ask none.fcps --target wanted=20 --environment age=10
expect 0 'W_OUTSIDE_RANGE: mass=3500 is outside its range, 0 to 60' "$fcps" study tell none.fcps 7 --outcome mass=3500
grep -q -- '--drop 7.1' err || complain "no remedy: $(cat err)"
if grep -q 'give a value inside' err; then complain "contradicts itself: $(cat err)"; fi

exit $failed
