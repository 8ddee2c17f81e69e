# SPDX-License-Identifier: Apache-2.0
# `fcps check` prints what it understood, lets the program do trials without storing them, and asks about usual mistakes.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

# problem REWARD [PROGRAM]
problem() {
  cat >p.yaml <<END
name: pour
target: {want: {range: [0, 10], unit: ml}, other: [0, 1]}
environment: {heat: [5, 40]}
parameters:
  turn: {range: [0, 360], period: 360, unit: deg}
  dose: {range: [0.01, 10], scale: log}
  cups: {range: [1, 6], scale: integer}
  valve: {range: [20, 100], step: 5, unit: "%"}
outcome: {volume: {unit: ml}, warmth: [0, 100]}
achieved: {want: volume, other: 0*volume}
reward: $1
run: {command: [${2:-python3, pour.py}], timeout_s: 20}
END
}
cat >pour.py <<'END'
import json, sys
for line in sys.stdin:
    trial = json.loads(line)
    p = trial["parameters"]
    print(json.dumps({"ask": trial["ask"], "outcome": {"volume": p["dose"], "warmth": p["valve"] / 2}}))
END

# what it understood, in words
problem '-abs(volume - want) - 0.1*other*warmth - 0*heat'
expect 0 'Nothing looks wrong. Nothing was stored' "$fcps" check p.yaml
for words in 'want .*0 to 10 ml' 'turn .*0 to 360 deg, a full circle' 'dose .*0.01 to 10, on a logarithmic scale' \
  'cups .*1 to 6, whole numbers' 'valve .*20 to 100 %, in steps of 5' 'warmth .*0 to 100' 'program .*python3 pour.py' \
  'depends on target want, other; outcome volume, warmth\.' 'trial 2' 'outcome .*volume=.* ml  warmth=' 'took .* s'; do
  grep -q -- "$words" out || complain "no \"$words\" in: $(cat out)"
done
[ ! -e p.fcps ] && [ -z "$(find . -name '*.fcps*')" ] || complain 'something was stored'
[ ! -s err ] || complain "it is questioned: $(cat err)"

# an outcome without a range, whose limit no trial has reached; a limit that is switched off does not count; with a range as
# before
for outcome in 'visc: {}, peak: {}' 'visc: {}, peak: [0, 150]' 'peak: {}, visc: [0, 5]'; do
  cat >limit.yaml <<END
name: limit
target: {want: [1, 4]}
parameters: {acid: [0, 1], solvent: [0, 1]}
outcome: {$outcome, odour: {}}
reward: "-abs(visc - want) - (peak > 80 ? 50 : 0) - 0*odour"
END
  expect 0 'W_REWARD_LIMIT: .* write: limits: {peak: {at_most: 80}}' "$fcps" check limit.yaml
  grep -q '1 warning above' out || complain "more looks wrong than the limit: $(cat out err)"
  grep -q 'depends on target want; outcome \(visc, peak\|peak, visc\)\.' out || complain "$outcome: $(cat out)"
done
sed -i 's/^reward:.*/reward: -abs(acid - want) - 0*peak/' limit.yaml
expect 0 'W_REWARD_NO_OUTCOME' "$fcps" check limit.yaml

# only reading starts nothing
problem '-abs(volume - want) - other*warmth' 'sh, -c, "touch started"'
expect 0 'Nothing was stored' "$fcps" check p.yaml --trials 0
[ ! -e started ] || complain 'the program was started'

# rewards that are usually mistakes
problem 'volume'
expect 0 'W_REWARD_NO_TARGET: reward: every target has the same best parameters' "$fcps" check p.yaml
grep -q '1 warning above' out || complain "the question is not counted: $(cat out)"
problem '-(volume - want)/10 + 0*other' # abs is missing
expect 0 'W_REWARD_NO_TARGET: reward: every target has the same best parameters' "$fcps" check p.yaml
problem '-abs(volume - want)'
expect 0 'W_REWARD_NO_TARGET: the reward does not depend on target "other"' "$fcps" check p.yaml
problem 'abs(volume - want) - other*warmth'
expect 0 'W_REWARD_GROWS: reward: it is least at a middle value of volume' "$fcps" check p.yaml
[ "$(grep -c W_REWARD_GROWS err)" -eq 1 ] || complain "a wrong sign is questioned more than once: $(cat err)"
# a reward that no outcome makes grow for ever
problem '1 - exp(-(volume - want)^2) - other*warmth'
expect 0 'W_REWARD_GROWS: reward: it grows as target want goes away' "$fcps" check p.yaml
# also if only the study notices: the target stays away from the outcome by other terms
problem 'abs(volume - warmth) - abs(volume - want)/10 - other'
expect 0 'W_REWARD_GROWS: reward: it is least at a middle value of volume' "$fcps" check p.yaml
grep -q '1 warning above' out || complain "a warning is called nothing: $(cat out)"
problem 'distance - other*warmth'
expect 0 'W_REWARD_GROWS: reward: it is least at a middle value of volume' "$fcps" check p.yaml
problem '-distance - other*warmth'
expect 0 'Nothing looks wrong' "$fcps" check p.yaml
problem 'want*other - dose'
expect 0 'W_REWARD_NO_OUTCOME' "$fcps" check p.yaml
problem 'sqrt(-1 - abs(volume - want*other))'
expect 0 'W_REWARD_NO_VALUE' "$fcps" check p.yaml

# units that contradict each other in the formula; no complaint if the formula converts them
cat >units.yaml <<'YAML'
name: height
target: {want: {range: [0.6, 1.6], unit: mm}}
parameters: {pressure: {range: [1, 6], unit: bar}}
outcome: {height: {unit: um}}
reward: -abs(height - want)
YAML
expect 0 'W_REWARD_UNITS: reward: it treats height (um) and want (mm) as if they had the same unit.*as in height/1000' "$fcps" check units.yaml
grep -q '1 warning above' out || complain "units that contradict each other are called nothing: $(cat out)"
expect 0 'W_REWARD_UNITS' "$fcps" study new units.fcps --problem units.yaml
"$fcps" study tell units.fcps --target want=1 --executed pressure=2 --outcome height=700 >/dev/null 2>&1
expect 0 'W_REWARD_UNITS' "$fcps" study status units.fcps
sed -i 's|(height -|(height/1000 -|' units.yaml
expect 0 'Nothing looks wrong' "$fcps" check units.yaml

# programs
problem '-abs(volume - want) - other*warmth' 'python3, same.py'
sed 's/p\["dose"\]/3/' pour.py >same.py
expect 0 'W_OUTCOME_CONSTANT: outcome "volume" was the same' "$fcps" check p.yaml
problem '-abs(volume - want) - other*warmth' 'python3, misspelt.py'
sed 's/"volume"/"volum"/' pour.py >misspelt.py
expect 6 'has no number "volume"; it has "volum": misspelt?' "$fcps" check p.yaml
problem '-abs(volume - want) - other*warmth' 'sh, -c, "while read -r a; do echo \"{\\\"ask\\\": 1, \\\"failed\\\": \\\"no water\\\"}\"; exit; done"'
expect 0 'W_NO_TRIAL_ENDED_WELL' "$fcps" check p.yaml --trials 1
grep -q 'message .*no water' out || complain "the failure is not shown: $(cat out)"
sed '/^run/d' p.yaml >hand.yaml
expect 0 'fcps study new' "$fcps" check hand.yaml

# mistakes in the file
expect 2 'E_FORMAT.*p2.yaml:1' sh -c "echo 'parameters: 3' >p2.yaml; '$fcps' check p2.yaml"
expect 4 'E_IO' "$fcps" check nowhere.yaml
expect 2 'fcps init' "$fcps" check
expect 0 'Example' "$fcps" check --help

exit $failed
