# SPDX-License-Identifier: Apache-2.0
# Pushes that miss, as a user of the program meets them: the lines of status, the setting that turns the model off,
# retargeting, and a study that is continued.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

cat >push.yaml <<'YAML'
name: push
target: {wanted: [0, 2]}
environment: {place: {range: [0, 0.5], unit: m}}
parameters: {height: [-1, 1], length: {range: [0.2, 1.5], unit: m}}
outcome: {end: {unit: m}}
achieved: {wanted: end}
reward: -distance
learner: {name: outcome}
YAML
# a block stays exactly where it was when the hand passes it or does not reach it
python3 - >old.csv <<'PYTHON'
print("wanted,place,height,length,end")
for i in range(40):
    place, height, length = 0.5 * ((0.2 + 0.618 * i) % 1), 2 * ((0.1 + 0.755 * i) % 1) - 1, 0.2 + 1.3 * ((0.4 + 0.57 * i) % 1)
    moves = abs(height) < 0.6
    print(f"1,{place},{height},{length},{place + (0.3 + length) * (1 - 0.4 * height * height) if moves else place}")
PYTHON
resting=$(awk -F, 'NR > 1 && $5 == $2' old.csv | wc -l)
expect 0 'made push.fcps' "$fcps" study new push.fcps --problem push.yaml
expect 0 'imported 40' "$fcps" study import push.fcps old.csv
expect 0 "contact  *at rest in $resting of 40 results (nothing moved, .*): modelled separately$" \
  "$fcps" study status push.fcps
expect 0 "\"name\":\"contact\",\"words\":\"at rest in $resting of 40 results" "$fcps" study status push.fcps --json
expect 0 'end' "$fcps" study check-model push.fcps

# if it is turned off, nothing is said
sed 's/learner: .*/learner: {name: outcome, contact: off}/' push.yaml >off.yaml
expect 0 'made off.fcps' "$fcps" study new off.fcps --problem off.yaml
expect 0 'imported 40' "$fcps" study import off.fcps old.csv
expect 0 'results' "$fcps" study status off.fcps
! grep -q 'at rest' out || complain "turned off, and said: $(cat out)"
expect 0 'model' "$fcps" study status off.fcps --json
! grep -q '"name":"contact"' out || complain "turned off, and in the JSON: $(cat out)"

# the same ask from a copy of the file as from the study itself
cp push.fcps copy.fcps
expect 0 'ask' "$fcps" study ask push.fcps --target wanted=1.2 --environment place=0.2
mv out first
expect 0 'ask' "$fcps" study ask copy.fcps --target wanted=1.2 --environment place=0.2
sed 's/copy\.fcps/push.fcps/' out | cmp -s - first || complain "a copy asks for something else: $(cat first out)"
exit $failed
