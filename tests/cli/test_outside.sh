# SPDX-License-Identifier: Apache-2.0
# Questions about contexts outside the bounds get an answer with a larger deviation, and a warning that names dimension, value
# and range; --strict refuses. An angle has no outside.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

cat >pour.yaml <<'END'
name: pour
target: {wanted: [10, 40]}
environment: {age: {range: [2, 40], unit: d}, side: {range: [0, 360], period: 360}}
parameters: {dose: [0, 10]}
outcome: [mass]
achieved: {wanted: mass}
reward: -distance
learner: {name: outcome}
END
{
  echo wanted,age,side,dose,mass
  for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
    echo "$((10 + 5 * (i % 7))),$((2 + 3 * i)),$((30 * i)),$((i * 7 % 11)),$((10 + i * 7 % 11 * 3))"
  done
} >old.csv
expect 0 'learner outcome' "$fcps" study new pour.fcps --problem pour.yaml
expect 0 'imported 12' "$fcps" study import pour.fcps old.csv
"$fcps" policy export pour.fcps -o pour.policy
deviation() { sed -n 's/.*"predicted_reward_sd":\([0-9.e+-]*\).*/\1/p' out; }

for question in 'study best pour.fcps' 'policy query pour.policy'; do
  # inside: no word
  expect 0 '"predicted_reward_sd"' "$fcps" $question -t wanted=20 -e age=40,side=10 --json
  [ ! -s err ] || complain "$question: words about a context inside: $(cat err)"
  if grep -q outside out; then complain "$question: outside, where nothing is: $(cat out)"; fi
  inside=$(deviation)
  # outside the bounds: a message, a field in JSON, and a larger deviation
  expect 0 'W_OUTSIDE_BOUNDS: environment.age: 400 lies outside \[2, 40\]' "$fcps" $question -t wanted=20 -e age=400,side=10
  expect 0 '"outside":\[{"space":"environment","name":"age","value":400' "$fcps" $question -t wanted=20 -e age=400,side=10 --json
  grep -q '"lower":2' out && grep -q '"upper":40' out || complain "$question: no range: $(cat out)"
  far=$(deviation)
  expect 0 '"outside"' "$fcps" $question -t wanted=20 -e age=60,side=10 --json
  near=$(deviation)
  awk "BEGIN { exit !($inside < $near && $near < $far) }" || complain "$question: deviations $inside, $near, $far"
  expect 0 'W_OUTSIDE_BOUNDS: target.wanted: 90 ' "$fcps" $question -t wanted=90 -e age=20,side=10
  # two dimensions at once
  expect 0 '"name":"wanted".*"name":"age"' "$fcps" $question -t wanted=90 -e age=1,side=10 --json
  [ "$(grep -c W_OUTSIDE_BOUNDS err)" -eq 2 ] || complain "$question: not one warning a dimension: $(cat err)"
  # an angle comes round
  expect 0 'parameters' "$fcps" $question -t wanted=20 -e age=20,side=730
  [ ! -s err ] || complain "$question: an angle lies outside: $(cat err)"
  # refused
  expect 2 'E_BOUNDS: environment.age: 400 lies outside \[2, 40\]' "$fcps" $question -t wanted=20 -e age=400,side=10 --strict
  expect 0 'parameters' "$fcps" $question -t wanted=20 -e age=20,side=730 --strict
done

# one warning a file, with the number of rows and the first of them
printf 'wanted,age,side\n20,10,0\n20,50,0\n20,400,0\n50,400,0\n' >contexts.csv
expect 0 'W_OUTSIDE_BOUNDS: 3 of 4 rows .*contexts.csv:3: environment.age: 50 lies outside \[2, 40\]' "$fcps" retarget pour.fcps contexts.csv
[ "$(grep -c W_OUTSIDE_BOUNDS err)" -eq 1 ] || complain "more than one warning a file: $(cat err)"
awk -F, 'NR > 2 && NR < 5 { if (!($6 > last)) exit 1 } { last = $6 }' out || complain "deviations do not grow: $(cat out)"
expect 2 'E_BOUNDS: contexts.csv:3: environment.age: 50 lies outside' "$fcps" retarget pour.fcps contexts.csv --strict
[ ! -s out ] || complain "answers beside a refusal: $(cat out)"
printf 'wanted,age,side\n20,10,-90\n20,40,800\n' >inside.csv
expect 0 'wanted' "$fcps" retarget pour.fcps inside.csv --strict
[ ! -s err ] || complain "words about rows inside: $(cat err)"

exit $failed
