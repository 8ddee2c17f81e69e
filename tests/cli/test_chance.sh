# SPDX-License-Identifier: Apache-2.0
# Beyond one edge trials have no outcome, beyond another they fail. Every command that predicts says how likely that is.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

cat >edge.yaml <<'END'
name: edge
target: {x: [0, 1], y: [0, 1]}
environment: {}
parameters: {p: [0, 1], q: [0, 1]}
outcome: [a, b]
reward: "present ? -abs(a - x) - abs(b - y) : -3"
END
{
  echo x,y,p,q,a,b,status
  for p in 05 20 35 50 65 80 95; do
    for q in 10 35 60 85; do
      if [ "$p" -gt 60 ]; then
        echo "0.5,0.5,0.$p,0.$q,,,ok"
      elif [ "$q" -gt 70 ]; then
        echo "0.5,0.5,0.$p,0.$q,,,failed"
      else
        echo "0.5,0.5,0.$p,0.$q,0.$p,0.$q,ok"
      fi
    done
  done
} >all.csv
"$fcps" study new edge.fcps --problem edge.yaml >out
expect 0 'imported 28' "$fcps" study import edge.fcps all.csv

# inside, at the edges, and for programs
expect 0 'parameters' "$fcps" study best edge.fcps --target x=0.95,y=0.95
grep -q '^has outcome   *with chance 0\.' out || complain "no chance of an outcome: $(cat out)"
grep -q '^does not fail *with chance 0\.' out || complain "no chance of success: $(cat out)"
grep -q '^  ends well  -*[0-9.]* +- [0-9.]* if it does$' out || complain "no reward of a trial that ends well: $(cat out)"
cp out best
expect 0 'reward .*; does not fail with chance 0\.[0-9]*; has an outcome with chance 0\.[0-9]*$' \
  "$fcps" study ask edge.fcps --target x=0.95,y=0.95
expect 0 '"success_reward":-*[0-9.e-]*,"success_reward_sd":[0-9]' "$fcps" study best edge.fcps --target x=0.95,y=0.95 --json
expect 0 '"chance_of_success":0\.[0-9]*,"chance_of_outcome":0\.' \
  "$fcps" study best edge.fcps --target x=0.95,y=0.95 --json
"$fcps" policy export edge.fcps -o edge.policy
grep -q caution edge.policy || complain 'the policy file has lost its caution'
expect 0 'with chance' "$fcps" policy query edge.policy --target x=0.95,y=0.95
cmp -s out best || complain 'the policy file answers otherwise than the study'
sed 's/\\*"caution\\*":[0-9.]*,//' edge.policy >old.policy
! grep -q caution old.policy || complain 'the caution is still there'
expect 0 'with chance' "$fcps" policy query old.policy --target x=0.95,y=0.95
printf 'x,y\n0.2,0.2\n0.95,0.95\n' >contexts.csv
expect 0 'predicted_reward_sd,chance_of_success,chance_of_outcome,success_reward,success_reward_sd$' "$fcps" retarget edge.fcps contexts.csv
[ "$(grep -c ',0\.[0-9]*,0\.[0-9]*,-*[0-9.e-]*,[0-9.e-]*$' out)" -eq 2 ] || complain "retarget has no chances: $(cat out)"
# a trial that ends well earns what `best` says, and here more than a trial that may go wrong
awk -F, 'NR > 1 && !($(NF - 1) > $(NF - 5)) { exit 1 }' out || complain "a trial that ends well earns no more: $(cat out)"
said=$("$fcps" study best edge.fcps --target x=0.95,y=0.95 --json | sed 's/.*"success_reward":\(-*[0-9.]\{6\}\).*/\1/')
tail -1 out | grep -q ",$said[0-9.e-]*,[0-9.e-]*\$" || complain "best says $said: $(cat out)"
expect 0 '"predicted_reward":' "$fcps" study status edge.fcps --json --map map.csv
head -1 map.csv | grep -q 'chance_of_success,chance_of_outcome$' || complain 'the map has no chances'
expect 0 'predicted reward' "$fcps" study status edge.fcps --figure map.svg
[ -s map.svg ] || complain 'no figure was drawn'

# a policy that knows of few trials has low chances, and its map says so
awk 'NR % 3 == 0 || NR == 1' all.csv >few.csv
"$fcps" study new daring.fcps --problem edge.yaml --set caution=0 >out
expect 0 'imported' "$fcps" study import daring.fcps few.csv
expect 0 'low chance *in [0-9]* of 64 contexts' "$fcps" study status daring.fcps
grep -q 'the chance to end well with an outcome is below 0.9 everywhere' out || complain "nothing is said of low chances: $(cat out)"
# if only some chances are low, these are marked: two thirds of the trials, without caution
awk 'NR % 3 != 0 || NR == 1' all.csv >most.csv
"$fcps" study new marked.fcps --problem edge.yaml --set caution=0 >out
expect 0 'imported' "$fcps" study import marked.fcps most.csv
"$fcps" study status marked.fcps >out
grep -q "'!': the chance" out || complain "no cell is marked: $(cat out)"
expect 0 '"contexts_with_low_chance":' "$fcps" study status daring.fcps --json

# the band of a figure ends at the reward of a trial that ends well: a chance of failure never raises what to expect
if command -v gnuplot >/dev/null; then
  sed 's/^target: .*/target: {x: [0, 1]}/; s/^reward.*/reward: "present ? -abs(a - x) : -3"/' edge.yaml >band.yaml
  cut -d, -f1,3- all.csv >band.csv
  "$fcps" study new band.fcps --problem band.yaml >out
  expect 0 'imported 28' "$fcps" study import band.fcps band.csv
  mkdir fake && printf '#!/bin/sh\ncat >script\nexit 1\n' >fake/gnuplot && chmod +x fake/gnuplot
  PATH=$folder/fake:$PATH "$fcps" study status band.fcps --figure band.svg >out 2>err || :
  sed -n '/^\$map/,/^EOD/p' script >map
  "$fcps" study best band.fcps --target x=1 --json | sed 's/.*"success_reward":\([-0-9.e]*\),"success_reward_sd":\([-0-9.e]*\).*/\1 \2/' >well
  awk 'NR == FNR { top = $1 + 2 * $2; next } NF == 5 && $1 == 1 { seen = $5 <= top + 1e-6 && $5 < $3 + 2 * $4 - 0.01 }
    END { exit !seen }' well map || complain "the band reaches beyond what a trial earns that ends well: $(cat well map)"
fi
exit $failed
