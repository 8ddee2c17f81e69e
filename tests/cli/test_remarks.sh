# SPDX-License-Identifier: Apache-2.0
# Warnings, as a user meets them: tell and status print them on stderr, JSON lists them, and the study is never "enough".
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

cat >batch.yaml <<'YAML'
name: batch
target: {want: [2, 8]}
parameters: {p: [0, 1], q: [0, 1]}
outcome: {volume: {}}
reward: -abs(volume - want)
learner: outcome
YAML
# rows FACTOR DEAD: thirty results; the last six times FACTOR, or all dead
rows() {
  awk -v f="$1" -v dead="$2" 'BEGIN { print "want,p,q,volume"; for (n = 1; n <= 30; n++) {
    p = (0.754878 * n) % 1; q = (0.56984 * n) % 1; v = 1 + 6 * p + 3 * q * q; if (n > 24) v *= f; if (dead) v = 3.2
    printf "%g,%.9g,%.9g,%.9g\n", 2 + 6 * ((0.618034 * n) % 1), p, q, v } }'
}
make() { # NAME REWARD
  sed "s/^reward:.*/reward: \"$2\"/" batch.yaml >"$1.yaml"
  "$fcps" study new "$1.fcps" --problem "$1.yaml"
}

# honest results: not a word
expect 0 'made' make good '-abs(volume - want)'
rows 1 '' >good.csv
expect 0 'imported 30' "$fcps" study import good.fcps good.csv
! grep -q W_ err || complain "a warning of honest results: $(cat err)"
expect 0 '^going on           enough: more trials gain at most' "$fcps" study status good.fcps
expect 0 '"converged":true' "$fcps" study status good.fcps --json
! grep -q warnings out || complain 'warnings in JSON without a warning'

# a dead sensor of small values: it is called dead, and nobody asks for its exact value
for value in 4e-5 0; do
  rm -f small.fcps*
  sed -e 's/^target:.*/target: {want: [0.00002, 0.00008]}/' -e 's/^outcome:.*/outcome: [volume, weight]/' \
    -e 's|^reward:.*|reward: -abs(volume - want)/5e-6 - weight|' batch.yaml >small.yaml
  "$fcps" study new small.fcps --problem small.yaml >/dev/null
  rows 1 '' | awk -F, -v value=$value 'NR == 1 { print $0 ",weight" } NR > 1 && NR < 9 { print $1 / 1e5 "," $2 "," $3 "," value "," $4 }' >small.csv
  expect 0 'W_SAME_OUTCOME: outcome volume was' "$fcps" study import small.fcps small.csv
  "$fcps" study status small.fcps >out 2>&1
  ! grep -q W_EXACT_OUTCOME out || complain "an outcome that is always $value is called one that is asked for exactly: $(cat out)"
done

# a dead sensor
expect 0 'made' make dead '-abs(volume - want)'
rows 1 1 >dead.csv
expect 0 'W_SAME_OUTCOME: outcome volume was 3.2 in all 30 results' "$fcps" study import dead.fcps dead.csv
expect 0 'not enough while W_SAME_OUTCOME stands' "$fcps" study status dead.fcps
expect 0 '"converged":false.*"warnings":\[{"code":"W_SAME_OUTCOME","text":"outcome volume was 3.2' \
  "$fcps" study status dead.fcps --json
expect 0 stored "$fcps" study tell dead.fcps --target want=4 --executed p=0.3,q=0.4 --outcome volume=3.2
! grep -q W_SAME_OUTCOME err || complain 'a tell looks at all results'
expect 0 '"warnings":\[{"code":"W_SAME_OUTCOME"' "$fcps" study ask dead.fcps --json --target want=4

# another unit from some result on, in JSON as well
expect 0 'made' make unit '-abs(volume - want)'
rows 1000 '' >unit.csv
expect 0 'W_UNIT: .*Either side may be wrong' "$fcps" study import unit.fcps unit.csv
expect 0 '"code":"W_UNIT"' "$fcps" study status unit.fcps --json
expect 0 'not enough while' "$fcps" study status unit.fcps

# the range of results that it names is dropped, taken back and confirmed as a whole
range=$(sed -n 's/.*W_UNIT: .*the last 6 results .* --drop \([0-9]*-[0-9]*\)).*/\1/p' err)
[ -n "$range" ] || complain "W_UNIT names no range: $(cat err)"
expect 0 '6 results that seem to be in another unit hardly count: see W_UNIT' "$fcps" study status unit.fcps
! grep -q W_MODEL out err || complain "what W_UNIT explains is held against the model: $(cat out err)"
expect 0 'each predicted from all others' "$fcps" study check-model unit.fcps
! grep -q W_OVERCONFIDENT out || complain "what W_UNIT explains is held against the model: $(cat out)"
cp unit.fcps right.fcps
expect 0 'dropped 6 results' "$fcps" study amend unit.fcps --drop "$range"
expect 0 'of the spread of rewards' "$fcps" study status unit.fcps
! grep -q W_UNIT err || complain "a unit of results that are out: $(cat err)"
expect 0 'amended' "$fcps" study amend unit.fcps --use "$range"
expect 0 '"code":"W_UNIT"' "$fcps" study status unit.fcps --json
expect 0 "result ${range#*-} now counts like any other" "$fcps" study amend right.fcps --confirm "$range"
expect 0 'of the spread of rewards' "$fcps" study status right.fcps
! grep -q W_UNIT err || complain "a unit that was confirmed: $(cat err)"
expect 2 'is not a range of results; write the smaller ask first' "$fcps" study amend unit.fcps --drop 9-3
expect 2 'is not a range of results' "$fcps" study amend unit.fcps --drop 1.1-3.2
expect 2 'there is no result 400-500' "$fcps" study amend unit.fcps --drop 400-500
expect 2 'is not a result; write ASK.N .* or a range as in 30.1-39.1' "$fcps" study amend unit.fcps --drop 1-2-3

# a run prints the warning while it lasts, and at its end what status prints
cat >spell.py <<'PYTHON'
import json, sys
for line in sys.stdin:
    a = json.loads(line)
    p = a["parameters"]
    volume = 1 + 6*p["p"] + 3*p["q"]**2 + 0.02*((7*a["ask"]) % 5 - 2)
    factor = 1/60 if 30 <= a["ask"] < 38 else 100 if a["ask"] == 20 else 1
    print(json.dumps({"ask": a["ask"], "outcome": {"volume": volume*factor}}), flush=True)
PYTHON
{ cat batch.yaml; echo 'run: {command: [python3, spell.py], timeout_s: 30}'; } >spell.yaml
expect 0 '' "$fcps" run spell.yaml --seed 1001 --episodes 44
grep -q '^fcps: W_SURPRISE: volume=.* --confirm 20.1$' err || complain "a wrong number was not said: $(cat err)"
grep -q '^fcps: W_UNIT: the last [34] results of volume, from 30.1 on, are about 1/[56][0-9.]* of .* another unit?' err ||
  complain "another unit was not said while it lasted: $(cat err)"
[ "$(grep -c '^fcps: W_UNIT' err)" -le 3 ] || complain "another unit was said again and again: $(cat err)"
grep -q '^suspect 20.1: volume=.* fcps study amend .*spell.fcps --drop 20.1, or --confirm 20.1$' err ||
  complain "the end of a run does not name a suspect: $(cat err)"
grep -q '^W_UNIT: 8 results of volume, from 30.1 to 37.1,.*--drop 30.1-37.1)' err ||
  complain "the end of a run does not name another unit: $(cat err)"
expect 0 'suspect  *20.1: volume=' "$fcps" study status spell.fcps
expect 0 'suspect  *8 results that seem to be in another unit' "$fcps" study status spell.fcps

# an outcome of chance alone is said by the end of a run and by status, as check-model says it
cat >luck.py <<'PYTHON'
import json, sys
for line in sys.stdin:
    a = json.loads(line)
    p = a["parameters"]
    luck = 10000 * abs(__import__("math").sin(12.9898 * a["ask"])) % 1
    print(json.dumps({"ask": a["ask"], "outcome": {"volume": 1 + 6*p["p"] + 3*p["q"]**2, "luck": luck}}), flush=True)
PYTHON
sed -e 's/{volume: {}}/[volume, luck]/' -e 's/^reward:.*/reward: -abs(volume - want) - luck/' batch.yaml >luck.yaml
echo 'run: {command: [python3, luck.py], timeout_s: 30}' >>luck.yaml
expect 0 'W_BLIND: after 40 results luck is predicted hardly better' "$fcps" run luck.yaml --seed 1001 --episodes 40
expect 0 'W_BLIND: after 40 results luck' "$fcps" study status luck.fcps
! grep -q 'not enough while' out || complain "chance holds enough back: $(cat out)"
expect 0 '"warnings":\[{"code":"W_BLIND"' "$fcps" study status luck.fcps --json
expect 0 '  W_BLIND  .* luck may depend on' "$fcps" study check-model luck.fcps

# rewards that are seldom meant
expect 0 'W_REWARD_GROWS: reward: it ' make sign 'abs(volume - want)'
expect 0 'W_REWARD_CONSTANT' make constant '7'
expect 0 'W_REWARD_NO_OUTCOME' make blind '-p'
expect 0 'W_REWARD_GROWS' "$fcps" study amend good.fcps --reward 'abs(volume - want)'

# a policy without knowledge says so also as a file
expect 0 'made' make empty '-abs(volume - want)'
expect 0 'W_NO_RESULTS' "$fcps" policy export empty.fcps -o empty.policy
expect 0 'W_NO_RESULTS' "$fcps" policy query empty.policy --target want=4

exit $failed
