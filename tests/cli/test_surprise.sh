# SPDX-License-Identifier: Apache-2.0
# A number that was written down wrongly, as a user meets it: tell reports it, status, log and export show it, amend confirms
# or drops it.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

cat >batch.yaml <<'YAML'
name: batch
target: {wanted: [4, 24]}
parameters: {heat: [60, 120], dose: [1, 10]}
outcome: {volume: [-50, 100], purity: {}}
reward: "-abs(volume-wanted)/5 - abs(purity-92)/4"
learner: outcome
YAML
# result N: the outcome of fixed parameters, with a little noise
result() {
  awk -v n="$1" 'BEGIN { h = (0.618 * n) % 1; d = (0.755 * n) % 1; e = (0.1 * ((7 * n) % 5 - 2));
    printf "%g %g %g %g", 60 + 60 * h, 1 + 9 * d, 3 * (1 + 9 * d) * (0.4 + 0.5 * h) + e, 98 - 12 * h * h - 4 * d + e }'
}
tell() { # N [FACTOR]
  set -- "$1" "${2:-1}" $(result "$1")
  "$fcps" study tell batch.fcps --target wanted=12 --executed "heat=$3,dose=$4" --key "k$1" \
    --outcome "volume=$(awk -v v="$5" -v f="$2" 'BEGIN { printf "%.6g", v * f }'),purity=$6"
}

expect 0 'learner outcome' "$fcps" study new batch.fcps --problem batch.yaml
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
  expect 0 'reward' tell $n
  ! grep -q W_SURPRISE err || complain "result $n is right, but it was doubted: $(cat err)"
done
expect 0 'not used' "$fcps" study status batch.fcps
! grep -q suspect out || complain 'a suspect among right results'
expect 0 '' "$fcps" study export batch.fcps
! grep -q suspect out || complain 'an export has a column for suspects that are not there'

# ten times too large, and outside its range
expect 0 'reward' tell 17 10
grep -q 'W_OUTSIDE_RANGE: volume=' err || complain "the range was not mentioned: $(cat err)"
! grep -q W_SURPRISE err || complain 'nobody asked for it, and it was compared with something'
expect 0 parameters "$fcps" study best batch.fcps --target wanted=12 # the next fit
grep -q 'W_SURPRISE: volume=.*, but .* +- .* was expected; a typo? fcps study amend [^ ]* --drop [0-9]*, or --confirm [0-9]*$' err ||
  complain "no word about a surprise: $(cat err)"
number=$(sed -n 's/.*--confirm \([0-9]*\)$/\1/p' err)
expect 0 "suspect  *$number: volume=.*--drop $number, or --confirm $number" "$fcps" study status batch.fcps
expect 0 '"suspects":1' "$fcps" study status batch.fcps --json
expect 0 '  suspect: volume=' "$fcps" study log batch.fcps
expect 0 '"suspect":{"outcome":"volume"' "$fcps" study log batch.fcps --json
expect 0 ',used,suspect,message' "$fcps" study export batch.fcps -f csv
grep -c ',1,1,' out | grep -qx 1 || complain 'the export does not mark one result'

# it is right after all
cp batch.fcps other.fcps
expect 2 'there is no result 99' "$fcps" study amend batch.fcps --confirm 99
expect 2 'give one of' "$fcps" study amend batch.fcps --confirm "$number" --drop "$number"
expect 0 'amended' "$fcps" study amend batch.fcps --confirm "$number"
expect 0 "CONFIRMED: $number" "$fcps" study log batch.fcps
grep -q '(confirmed)' out || complain 'the log does not show which result was confirmed'
! grep -q 'suspect' out || complain 'a confirmed result is a suspect'
expect 0 '"confirmed":true' "$fcps" study log batch.fcps --json

# it was a typo: dropped, and told again
expect 0 'amended' "$fcps" study amend other.fcps --drop "$number"
expect 0 '1 more not used' "$fcps" study status other.fcps
! grep -q 'suspect' out || complain 'a dropped result is a suspect'

# several wrong numbers do not hide each other, nor does a number that stands for an error and is repeated
printf 'name: line\ntarget: {want: [0, 10]}\nparameters: {a: [0, 1]}\noutcome: [v]\nreward: -abs(v - want)\n' >line.yaml
awk 'BEGIN { print "want,a,v"; for (i = 0; i < 40; i++) printf "5,%.3f,%.4f\n", (i + 0.5)/40, (i + 0.5)/4 + 0.03*sin(7*i) }' >line.csv
for wrong in '0.21=21.4 0.72=71.9 0.47=0.47' '0.21=9999 0.72=9999'; do
  rm -f line.fcps*
  expect 0 'learner outcome' "$fcps" study new line.fcps --problem line.yaml
  expect 0 'imported 40' "$fcps" study import line.fcps line.csv
  for pair in $wrong; do
    expect 0 'stored' "$fcps" study tell line.fcps --target want=5 --executed "a=${pair%=*}" --outcome "v=${pair#*=}"
  done
  expect 0 'parameters  *a=0.6' "$fcps" study best line.fcps --target want=6
  for pair in $wrong; do
    grep -q "W_SURPRISE: v=${pair#*=}," err || complain "no word about $pair: $(cat err)"
  done
done

# An ask stores what it expects, and a tell in another process compares with it and says nothing twice
rm -f line.fcps*
expect 0 'learner outcome' "$fcps" study new line.fcps --problem line.yaml
expect 0 'imported 40' "$fcps" study import line.fcps line.csv
expect 0 '^  expected  *v=5.* +- .*, reward -0.* +- ' "$fcps" study ask line.fcps --target want=5
expect 0 '"expected":{"outcome":{"v":5.*"outcome_sd":{"v":.*"reward":-0.*"reward_sd":.*"chance_of_success":1' "$fcps" study \
  status line.fcps --json
expect 0 '"suspect":true' "$fcps" study tell line.fcps 1 --outcome v=50.1 --json
grep -q W_SURPRISE err || complain "no word about what was not expected: $(cat err)"
expect 0 '^  expected' "$fcps" study ask line.fcps --target want=5
! grep -q W_SURPRISE err || complain "a surprise is said twice: $(cat err)"
expect 0 '"expected":{"outcome":{"v":5.*"suspect":{"outcome":"v"' "$fcps" study log line.fcps --json
expect 0 'stored result' "$fcps" study tell line.fcps 2 --outcome v=5.05
! grep -q W_SURPRISE err || complain "what was expected is a surprise: $(cat err)"
expect 0 '"expected":{"outcome":{"v":' "$fcps" study ask line.fcps --target want=5 --json
expect 0 'stored result' "$fcps" study tell line.fcps 3 --executed a=0.9 --outcome v=90
! grep -q W_SURPRISE err || complain "a trial that was done elsewhere was compared: $(cat err)"
expect 0 amended "$fcps" study amend line.fcps --reward 'abs(v - want)'
expect 0 '"expected":{"outcome":{"v":' "$fcps" study log line.fcps --json
! grep -q reward_sd out || complain "a reward of another formula is expected: $(cat out)"
expect 0 'learner random' "$fcps" study new none.fcps --problem line.yaml --learner random
expect 0 'imported 40' "$fcps" study import none.fcps line.csv
expect 0 '^  parameters' "$fcps" study ask none.fcps --target want=5
! grep -q expected out || complain "random expects something: $(cat out)"

# a reward that needs an exact outcome is named, and never converges
printf 'name: hit\nparameters: {a: [0, 1]}\noutcome: [hit]\nreward: "hit ? 1 : -1"\n' >hit.yaml
awk 'BEGIN { print "a,hit"; for (i = 0; i < 40; i++) printf "%.3f,%d\n", (i + 0.5)/40, (i > 33) }' >hit.csv
expect 0 'learner outcome' "$fcps" study new hit.fcps --problem hit.yaml
expect 0 'imported 40' "$fcps" study import hit.fcps hit.csv
expect 0 'W_EXACT_OUTCOME: .*outcome hit.*hit > 0.5' "$fcps" study best hit.fcps
expect 0 'not enough while W_EXACT_OUTCOME' "$fcps" study status hit.fcps
expect 0 'amended' "$fcps" study amend hit.fcps --reward 'hit > 0.5 ? 1 : -1'
expect 0 'parameters  *a=0.[89]' "$fcps" study best hit.fcps
! grep -q W_EXACT err || complain "a range is called exact: $(cat err)"
exit $failed
