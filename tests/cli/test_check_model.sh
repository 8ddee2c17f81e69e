# SPDX-License-Identifier: Apache-2.0
# `fcps study check-model` as a user meets it: the table, the files, and what it says of a typo.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

cat >bath.yaml <<'YAML'
name: bath
target: {wanted: [0, 10]}
parameters: {heat: {range: [20, 80], unit: C}, salt: {range: [1, 100], scale: log, unit: g}}
outcome: {volume: {unit: ml}, purity: {unit: "%"}}
achieved: {wanted: volume}
reward: "-abs(wanted - volume) - 0.1*(100 - purity)"
learner: {name: outcome}
YAML
"$fcps" study new bath.fcps --problem bath.yaml >/dev/null || complain 'no study'
expect 2 'model: 0 results can be learnt from; a check needs at least 5' "$fcps" study check-model bath.fcps
# results that nobody asked for; one has lost its decimal point
python3 - >old.csv <<'PYTHON'
print("wanted,heat,salt,volume,purity")
for i in range(24):
    heat, salt = 20 + 60 * ((0.3 + 0.755 * i) % 1.0), 100 ** ((0.8 + 0.57 * i) % 1.0)
    volume = (2 + heat / 10 + 0.02 * (7 * i % 5)) * (100 if i == 17 else 1)
    print(f"5,{heat},{salt},{volume},{90 + heat / 20}")
PYTHON
expect 0 'imported 24' "$fcps" study import bath.fcps old.csv

expect 0 '^model  *outcome, 24 results' "$fcps" study check-model bath.fcps
grep -q '^purity  *[0-9]* of 24 ([0-9]* %) within' out || complain "no coverage: $(cat out)"
sed -n '/^most surprising/{n;p;}' out | grep -q 'unasked 18 .*volume=489, but [0-9.]* +- [0-9.]* was expected' ||
  complain "the typo is not the most surprising: $(cat out)"
grep -q 'if one is a mistake: fcps study amend bath.fcps --drop RESULT' out || complain 'no word of what to do'
cp out plain

expect 0 '"model":"outcome"' "$fcps" study check-model bath.fcps --json
for key in '"covered":' '"surprise":' '"expected":{"volume":' '"length_shares":' '"ask":null'; do
  grep -q "$key" out || complain "the JSON lacks $key"
done
expect 0 'most surprising' "$fcps" study check-model bath.fcps --csv check.csv
cmp -s out plain || complain 'a file changes what is printed'
[ "$(head -1 check.csv)" = 'sequence,ask,result,volume,volume_expected,volume_deviation,purity,purity_expected,purity_deviation,surprise' ] ||
  complain "columns: $(head -1 check.csv)"
[ "$(wc -l <check.csv)" -eq 25 ] || complain 'not a row for each result'
if command -v gnuplot >/dev/null; then
  expect 0 'most surprising' "$fcps" study check-model bath.fcps --figure check.svg
  grep -q 'volume \[ml\] told' check.svg || complain 'the figure has no labels'
  grep -q 'purity: [0-9]* of 24 covered' check.svg || complain 'the figure has no coverage'
fi
expect 2 'must end with .svg or .png' "$fcps" study check-model bath.fcps --figure check.pdf

"$fcps" study new walk.fcps --problem bath.yaml --learner c-reps >/dev/null
"$fcps" study import walk.fcps old.csv >/dev/null
expect 2 'learner: c-reps has no Gaussian process' "$fcps" study check-model walk.fcps
exit $failed
