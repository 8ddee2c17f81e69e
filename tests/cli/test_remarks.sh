# SPDX-License-Identifier: Apache-2.0
# What looks wrong, as a user meets it: said by tell and status on stderr, listed in JSON, and never "enough".
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
expect 0 'of the spread of rewards: enough' "$fcps" study status good.fcps
expect 0 '"converged":true' "$fcps" study status good.fcps --json
! grep -q warnings out || complain 'warnings in JSON without a warning'

# a dead sensor of something small: it is dead, and nobody asks for its exact value
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
expect 0 '"warnings":\[{"code":"W_SAME_OUTCOME"' "$fcps" study tell dead.fcps --json --target want=4 \
  --executed p=0.3,q=0.4 --outcome volume=3.2

# another unit from some result on, in JSON as well
expect 0 'made' make unit '-abs(volume - want)'
rows 1000 '' >unit.csv
expect 0 'W_UNIT' "$fcps" study import unit.fcps unit.csv
expect 0 '"code":"W_UNIT"' "$fcps" study status unit.fcps --json
expect 0 'not enough while' "$fcps" study status unit.fcps

# rewards that are seldom meant
expect 0 'W_REWARD_GROWS: reward: it grows' make sign 'abs(volume - want)'
expect 0 'W_REWARD_CONSTANT' make constant '7'
expect 0 'W_REWARD_NO_OUTCOME' make blind '-p'
expect 0 'W_REWARD_GROWS' "$fcps" study amend good.fcps --reward 'abs(volume - want)'

# a policy that knows nothing says so also as a file
expect 0 'made' make empty '-abs(volume - want)'
expect 0 'W_NO_RESULTS' "$fcps" policy export empty.fcps -o empty.policy
expect 0 'W_NO_RESULTS' "$fcps" policy query empty.policy --target want=4

exit $failed
