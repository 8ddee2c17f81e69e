# SPDX-License-Identifier: Apache-2.0
# Rewards without a value, and numbers that cannot be used: every command says so in words.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

cat >root.yaml <<'END'
name: root
target: {x: [0, 1]}
environment: {}
parameters: {p: [0, 1]}
outcome: {o: {range: [0, 1]}}
reward: -sqrt(x-o)
run: {command: [./far.sh], timeout_s: 20}
END
{ echo x,p,o; for o in 02 1 2 3 4 5 6 7 8 9; do echo "0.5,0.$o,0.$o"; done; } >old.csv

# with bo-fcps no rollout has a reward for this target
expect 0 'learner bo-fcps' "$fcps" study new root.fcps --problem root.yaml --learner bo-fcps
expect 0 'imported 10' "$fcps" study import root.fcps old.csv
expect 0 'reward  *none: .*no value' "$fcps" study best root.fcps --target x=0.01
expect 0 '"predicted_reward":null,"predicted_reward_sd":null' "$fcps" study best root.fcps --target x=0.01 --json
expect 0 'reward  *-0' "$fcps" study best root.fcps --target x=0.5
printf 'x\n0.01\n0.5\n' >contexts.csv
expect 0 'W_NO_VALUE: in 1 of 2 rows' "$fcps" retarget root.fcps contexts.csv
grep -q '^0.01,[0-9.e-]*,,,1,1,,$' out || complain "a reward without a value is predicted: $(cat out)"
expect 0 "'?': no value" "$fcps" study status root.fcps
expect 0 '.' "$fcps" study status root.fcps --json --map map.csv

# a reward that has a value nowhere
sed 's/-sqrt(x-o)/-sqrt(-1-x-o)/' root.yaml >never.yaml
expect 0 'learner outcome' "$fcps" study new never.fcps --problem never.yaml
expect 0 'imported 10' "$fcps" study import never.fcps old.csv
expect 0 'reward  *none: .*no value' "$fcps" study best never.fcps --target x=0.5

# the smallest trials overflowed: the study must not count as converged
sed 's/-sqrt(x-o)/-exp(100000*abs(x-o))/' root.yaml >steep.yaml
expect 0 'learner outcome' "$fcps" study new steep.fcps --problem steep.yaml
expect 0 'imported 10' "$fcps" study import steep.fcps old.csv
expect 0 '"contexts_without_value":' "$fcps" study status steep.fcps --json
grep -q '"converged":false' out || complain "converged without a value: $(cat out)"
expect 0 'contexts the reward has no value for the expected outcome' "$fcps" study status steep.fcps

# a number that is too large is finite, and still cannot be used
cat >far.sh <<'END'
#!/bin/sh
while read -r ask; do
  echo "$ask" | sed 's/.*"ask": *\([0-9]*\).*/{"ask": \1, "outcome": {"o": 1e308}}/'
done
END
chmod +x far.sh
expect 7 'W_REWARD_NOT_FINITE: .*ask 1 .*beyond 1e100.*"o" is 1e+308' "$fcps" run root.yaml --episodes 1 --store far.fcps
expect 0 'flagged: no usable value' "$fcps" study log far.fcps
expect 0 'beyond 1e100' "$fcps" study tell root.fcps --target x=1 --executed p=1 --outcome o=1e300

# results without a told reward
expect 0 'learner bo-cps' "$fcps" study new told.fcps --problem root.yaml --learner bo-cps
expect 0 'imported 10' "$fcps" study import told.fcps old.csv
expect 2 'none of the 10 .*no usable reward was told.*--force' "$fcps" study amend told.fcps --reward told
expect 0 'W_NO_REWARD: 10 of the 10 stored results' "$fcps" study amend told.fcps --reward told --force
expect 0 'amended' "$fcps" study amend told.fcps --reward '-abs(x-o)'
[ ! -s err ] || complain "words about results that have a reward: $(cat err)"

# -- Before the first outcome nothing is predicted but what may go wrong --
sed 's/-sqrt(x-o)/"present ? -abs(x-o) : -30"/' root.yaml >early.yaml
printf 'x,p,o,status\n0.5,0.1,,failed\n0.5,0.3,,failed\n0.5,0.5,,failed\n0.5,0.7,,ok\n0.5,0.9,,ok\n' >early.csv
expect 0 'learner outcome' "$fcps" study new early.fcps --problem early.yaml
expect 0 'imported 5' "$fcps" study import early.fcps early.csv
expect 0 'W_NO_RESULTS' "$fcps" study best early.fcps --target x=0.5
grep -q '^reward  *nothing is known yet: no trial has had an outcome$' out || complain "a reward of nothing: $(cat out)"
grep -q '^has outcome  *with chance 0' out || complain "the chances are gone: $(cat out)"
! grep -q '^outcome' out || complain "an outcome of nothing: $(cat out)"
expect 0 '"predicted_reward":null,"predicted_reward_sd":null,"chance_of_success":0' "$fcps" study best early.fcps --target x=0.5 --json
! grep -q predicted_outcome out || complain "an outcome of nothing: $(cat out)"
expect 0 '^policy  *nothing is known yet: no trial has had an outcome$' "$fcps" study status early.fcps
! grep -q '^predicted reward' out || complain "a map of nothing: $(cat out)"
grep -q 'amend early.fcps --drop no-outcome, and once more with --drop failed$' out || complain "one kind is not named: $(cat out)"
expect 0 '"predicted_reward":null,"predicted_reward_sd":null,"predicted_reward_reducible_sd":null,"worst_reward":null' "$fcps" study status early.fcps --json
expect 2 'nothing is known yet' "$fcps" study status early.fcps --map early-map.csv
expect 0 'W_NO_RESULTS' "$fcps" retarget early.fcps contexts.csv
grep -q '^0.01,[0-9.e-]*,,,0[0-9.e-]*,0[0-9.e-]*,,$' out || complain "a reward of nothing: $(cat out)"
! grep -q W_NO_VALUE err || complain "two reasons: $(cat err)"
expect 0 'W_NO_RESULTS' "$fcps" policy export early.fcps -o early.policy
expect 0 'nothing is known yet' "$fcps" policy query early.policy --target x=0.5
expect 2 'early.policy: is a policy file, not a study; .fcps policy query. reads it' "$fcps" retarget early.policy contexts.csv
expect 0 'stored' "$fcps" study tell early.fcps --target x=0.5 --executed p=0.45 --outcome o=0.45
expect 0 '^outcome  *o=' "$fcps" study best early.fcps --target x=0.5
[ ! -s err ] || complain "a study with an outcome is called empty: $(cat err)"

# -- What a formula has for trials without an outcome does not hide that the rest has no value --
expect 0 'imported 10' "$fcps" study import early.fcps old.csv
expect 2 'none of the 11 stored results with an outcome .*"log(o-100)" is nan.*--force' \
  "$fcps" study amend early.fcps --reward 'present ? log(o-100) : -30'
expect 0 '^2 of the 13 stored results .* finite reward, but none of the 11 with an outcome$' \
  "$fcps" study amend early.fcps --reward 'present ? log(o-100) : -30' --force
grep -q 'W_NO_REWARD: 11 of the 16 .*"log(o-100)" is nan' err || complain "the cause is not named: $(cat err)"
sed 's/-sqrt(x-o)/"present ? log(o-100) : -30"/' root.yaml >log.yaml
expect 7 'E_NO_REWARD: .*"log(o-100)" is nan' "$fcps" run log.yaml --store early.fcps --episodes 3

exit $failed
