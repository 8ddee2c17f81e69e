# SPDX-License-Identifier: Apache-2.0
# Messages that a reader would otherwise have to guess: outages, deviations, what caution gives up, waiting suspects, columns
# that are not read, choices without effect, and what -n counts.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

cat >line.yaml <<'YAML'
name: line
target: {want: [1, 6]}
parameters: {a: [0, 1], b: [0, 1]}
outcome: [v]
reward: "present ? -abs(v - want) : -9"
run: {command: [./line.sh], timeout_s: 20}
YAML
# the v of parameters; beyond an edge of b nothing comes out
cat >line.sh <<'SH'
#!/bin/sh
while read -r line; do
  ask=$(echo "$line" | sed 's/.*"ask":\([0-9]*\).*/\1/; s/.*"ask": \([0-9]*\).*/\1/')
  a=$(echo "$line" | sed 's/.*"a": *\([0-9.e-]*\).*/\1/')
  if [ "$ask" -ge "${OUT_FROM:-999}" ] && [ "$ask" -le "${OUT_TO:-0}" ]; then
    echo "{\"ask\": $ask, \"failed\": \"no power\"}"
  else
    awk -v ask="$ask" -v a="$a" 'BEGIN { printf "{\"ask\": %d, \"outcome\": {\"v\": %.6f}}\n", ask, 7*a + 0.02*sin(7*ask) }'
  fi
done
SH
chmod +x line.sh

# -- An outage, said at the end of a run and by status; dropping heals --
expect 0 '4 trials in a row went wrong.*: 9.1-12.1\. ' \
  env OUT_FROM=9 OUT_TO=12 "$fcps" run line.yaml -n 26 --store line.fcps
expect 0 '^outage  *4 trials in a row went wrong' "$fcps" study status line.fcps
grep -q 'amend line.fcps --confirm 9.1-12.1;$' out || complain "no command that answers the outage: $(cat out)"
expect 0 '"outage":\["9.1","10.1","11.1","12.1"\]' "$fcps" study status line.fcps --json
cp line.fcps blamed.fcps
expect 0 'result 9.1 counts against its parameters' "$fcps" study amend blamed.fcps --confirm 9.1,10.1,11.1,12.1
expect 0 'policy' "$fcps" study status blamed.fcps
! grep -q '^outage' out || complain 'failures that were confirmed are still excused'
expect 0 'dropped 4 results' "$fcps" study amend line.fcps --drop 9.1,10.1,11.1,12.1
expect 0 'policy' "$fcps" study status line.fcps
! grep -q '^outage' out || complain 'an outage that was dropped is still said'

# -- What -n counts: episodes of runs. Dropped results were episodes, imported ones were not --
expect 0 '28 episodes of runs; the study has 24 results' "$fcps" run line.yaml -n 28 --store line.fcps
expect 0 'Number of episodes: trials that .fcps run. asks' "$fcps" run --help

# -- The log shows choices --
expect 0 '^DROPPED: 9.1$' "$fcps" study log line.fcps
expect 0 'amended' "$fcps" study amend line.fcps --use 9.1
expect 0 '^USED: 9.1$' "$fcps" study log line.fcps
expect 0 'result 9.1 counts already' "$fcps" study amend line.fcps --use 9.1
expect 0 'result 10.1 did not count before; dropped 0 results' "$fcps" study amend line.fcps --drop 10.1

# -- A comma is no decimal point, and many values between steps are one warning --
expect 2 'a comma separates two values, so write decimals with a point' "$fcps" study best line.fcps --target want=3,5
printf 'name: steps\ntarget: {want: [0, 9]}\nparameters: {a: {range: [0, 9], step: 1}}\noutcome: [v]\nreward: -abs(v - want)\n' >steps.yaml
printf 'want,a,v\n1,1.5,2\n2,2.5,3\n3,4,4\n4,5.5,6\n' >steps.csv
"$fcps" study new steps.fcps --problem steps.yaml >/dev/null
expect 0 'W_OFF_STEP: parameters.a: 3 of 4 results lie between its steps' "$fcps" study import steps.fcps steps.csv
[ "$(grep -c W_OFF_STEP err)" -eq 1 ] || complain "steps are said more than once: $(cat err)"
# -- A map on which nothing differs but rounding says one number --
printf 'name: flat\ntarget: {want: [0, 9]}\nparameters: {a: [0, 9]}\noutcome: [v]\nreward: -abs(v - 3)\n' >flat.yaml
printf 'want,a,v\n1,1.5,2.1\n2,2.5,3.2\n3,4,4.1\n4,5.5,6.2\n5,8,8.3\n' >flat.csv
"$fcps" study new flat.fcps --problem flat.yaml >/dev/null
"$fcps" study import flat.fcps flat.csv >/dev/null
"$fcps" study status flat.fcps >out
[ "$(grep -c ' everywhere, over want$' out)" -eq 2 ] || complain "a flat map is shaded: $(cat out)"
sed 's/-abs(v - 3)/-845200 - abs(v - want)/' flat.yaml >far.yaml
"$fcps" study new far.fcps --problem far.yaml >/dev/null
"$fcps" study import far.fcps flat.csv >/dev/null
expect 0 'predicted reward, -8.452e+05 everywhere' "$fcps" study status far.fcps
# -- Two outcomes that a reward runs away from are one warning --
printf 'name: away\ntarget: {want: [0, 9]}\nparameters: {a: [0, 9]}\noutcome: [v, w]\nreward: abs(v - want) + abs(w - want)\n' >away.yaml
expect 0 'W_REWARD_GROWS: reward: it is least at a middle value of v or w' "$fcps" study new away.fcps --problem away.yaml
[ "$(grep -c W_REWARD_GROWS err)" -eq 1 ] || complain "a reward is questioned more than once: $(cat err)"

# -- An import names columns that it does not read, and results that surprise --
awk 'BEGIN { print "want,a,b,v,mesage,colour,remark"; for (i = 0; i < 120; i++) { a = (0.618*i) % 1; b = (0.755*i) % 1;
  v = 7*a + 0.02*sin(7*i); if (i == 70) v *= 100; printf "3,%.4f,%.4f,%.5f,,red,ok\n", a, b, v } }' >many.csv
expect 0 'learner outcome' "$fcps" study new many.fcps --problem line.yaml
expect 0 'imported 120' "$fcps" study import many.fcps many.csv
grep -q 'W_COLUMN: many.csv: 3 columns are not read: "mesage" (did you mean message?), "colour", "remark"$' err ||
  complain "no word about columns: $(cat err)"
grep -q 'W_SURPRISE: v=.* fcps study amend .* --drop 71, or --confirm 71$' err || complain "no word about result 71: $(cat err)"
sed '1s/mesage,colour,remark/message,suspect,used/' many.csv >right.csv
expect 0 'imported 0' "$fcps" study import many.fcps right.csv
! grep -q W_COLUMN err || complain "known columns were called unknown: $(cat err)"
sed '1s/,a,/,Aa,/' many.csv >wrong.csv
expect 2 "no column 'a'.*Rename column 'Aa'" "$fcps" study import many.fcps wrong.csv
# a number with a decimal comma, although a comma separates cells
printf 'want\n"2,5"\n' >quoted.csv
expect 2 '"2,5" is not a number; write its comma as a point' "$fcps" retarget many.fcps quoted.csv
printf 'want,note\n2,5,x\n' >longer.csv
expect 2 'decimal comma is two cells' "$fcps" retarget many.fcps longer.csv
# a formula of three parts needs quotes
sed 's/^reward:.*/reward: present ? -abs(v - want) : -9/' line.yaml >bare.yaml
expect 2 'bare.yaml:5:.*in quotes, as in reward: "present' "$fcps" study new bare.fcps --problem bare.yaml
expect 2 'failed needs words' "$fcps" study tell many.fcps --target want=3 --executed a=0.5,b=0.5 --failed ''
# for a result that nobody asked for, the next fit says so, in whatever process
expect 0 'without an ask' "$fcps" study tell many.fcps --target want=3 --executed a=0.5,b=0.5 --outcome v=400
expect 0 'W_SURPRISE: v=400,' "$fcps" study best many.fcps --target want=3
number=$(sed -n 's/.*v=400, .*--confirm \([0-9]*\)$/\1/p' err)

# -- Nothing is enough while a suspect waits --
expect 0 'not enough while 2 suspect results wait to be confirmed or dropped' "$fcps" study status many.fcps
expect 0 '"converged":false' "$fcps" study status many.fcps --json
expect 0 'dropped 1 result' "$fcps" study amend many.fcps --drop "$number"
expect 0 '1 suspect result waits' "$fcps" study status many.fcps
expect 0 'result 71 now counts like any other' "$fcps" study amend many.fcps --confirm 71
expect 0 'result 71 was confirmed before' "$fcps" study amend many.fcps --confirm 71
expect 0 'result 5 is not suspect' "$fcps" study amend many.fcps --confirm 5
expect 0 'dropped 1 result' "$fcps" study amend many.fcps --drop 71
expect 0 'going on  *enough: more trials gain' "$fcps" study status many.fcps
expect 0 'dropped 1 result' "$fcps" study amend many.fcps --drop 6
expect 0 'result 6 does not count: it was dropped .*--use 6;' "$fcps" study amend many.fcps --confirm 6
expect 0 'amended' "$fcps" study amend many.fcps --use 6

# -- Errors have a median and a root mean square, each by its name --
expect 0 'half of the errors are below .* (root mean square ' "$fcps" study check-model many.fcps
expect 0 '"median_error":' "$fcps" study check-model many.fcps --json

# -- Two deviations: +- is that of a trial everywhere, and what is not known has its own name; and what caution costs --
expect 0 'predicted reward .* +- [0-9.e-]*, mean over' "$fcps" study status many.fcps
grep -q '^deviation of one trial,' out || complain "the map's deviation has another name: $(cat out)"
awk 'BEGIN { print "want,a,b,v,status"; for (i = 0; i < 60; i++) { a = (0.618*i) % 1; b = (0.755*i) % 1;
  if (a > 0.8) printf "5.5,%.4f,%.4f,,failed\n", a, b; else printf "5.5,%.4f,%.4f,%.5f,ok\n", a, b, 7*a } }' >edge.csv
expect 0 'learner outcome' "$fcps" study new edge.fcps --problem line.yaml --set caution=8
expect 0 'imported 60' "$fcps" study import edge.fcps edge.csv
expect 0 'predicted reward .* +- [0-9.e-]*, mean over' "$fcps" study status edge.fcps
grep -q '^  uncertainty  *[0-9.e-]* of reward: ' out || complain "the second deviation has no name: $(cat out)"
grep -q '^deviation of one trial, which may go wrong' out || complain "the map's deviation has no name: $(cat out)"
grep -q '^  caution .*gives up .* of expected reward per context' out || complain "nothing about caution: $(cat out)"
grep -q 'amend edge.fcps --set caution=0' out || complain "no command about caution: $(cat out)"
expect 0 '"caution_cost":' "$fcps" study status edge.fcps --json
expect 0 'amended' "$fcps" study amend edge.fcps --set caution=0
expect 0 'predicted reward' "$fcps" study status edge.fcps
! grep -q '^  caution' out || complain 'a policy without caution passes something over'

# -- A result that was refused is accepted when what it contradicts is out; what was taken out stays out --
expect 0 'ask 29' "$fcps" study ask line.fcps --target want=3 --client ann
expect 0 'W_OTHER_CLIENT: ask 29 was given to ann, not to bob' "$fcps" study tell line.fcps 29 --outcome v=3 --client bob
expect 2 'To use it instead: fcps study amend line.fcps --use 29.2' "$fcps" study tell line.fcps 29 --outcome v=4
expect 2 'already has another result' "$fcps" study tell line.fcps 29 --outcome v=4
expect 0 'dropped 1 result' "$fcps" study amend line.fcps --drop 29.1
expect 0 'stored result of ask 29' "$fcps" study tell line.fcps 29 --outcome v=4
expect 0 'was there already' "$fcps" study tell line.fcps 29 --outcome v=4
expect 2 'already has another result' "$fcps" study tell line.fcps 29 --outcome v=3
expect 0 'dropped 1 result' "$fcps" study amend line.fcps --drop 29.2
expect 2 'was taken out' "$fcps" study tell line.fcps 29 --outcome v=4
expect 0 'stored a result' "$fcps" study tell line.fcps --target want=3 --executed a=0.5,b=0.5 --key k --outcome v=3
expect 2 'another result was told under the key' \
  "$fcps" study tell line.fcps --target want=3 --executed a=0.5,b=0.5 --key k --outcome v=4
first=$("$fcps" study log line.fcps | sed -n 's/^unasked \([0-9]*\)  ok  .*/\1/p' | tail -1)
expect 0 'dropped 1 result' "$fcps" study amend line.fcps --drop "$first"
expect 0 'stored a result' "$fcps" study tell line.fcps --target want=3 --executed a=0.5,b=0.5 --key k --outcome v=4

# -- A mistyped outcome is one, also in a run that goes on in another process --
expect 0 '' "$fcps" run reach -n 14 --seed 1001 --task-set typo=3 --learner random --out whole --quiet --no-figure
expect 0 '' "$fcps" run reach -n 7 --seed 1001 --task-set typo=3 --learner random --out parts --quiet --no-figure
expect 0 '' "$fcps" run reach -n 14 --seed 1001 --task-set typo=3 --learner random --out parts --quiet --no-figure
cmp -s whole/episodes.csv parts/episodes.csv || complain 'a run that goes on has another typo'
exit $failed
