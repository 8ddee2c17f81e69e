# SPDX-License-Identifier: Apache-2.0
# Limits by the program: shown by `check`, kept by asks and best, their chances in every answer, counted by `status`, amended
# and refused.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

# problem LIMITS SAFE
problem() {
  cat >throw.yaml <<END
name: throw
target: {x: [0.2, 4]}
parameters: {speed: [1, 8], tilt: [0.1, 1.5]}
outcome: [land, apex]
reward: -abs(land - x)
limits: $1
safe: $2
END
}
trial() { # the outcome of the ask in `out`, and whether it keeps the limit
  python3 -c '
import json, math
p = json.load(open("out"))["parameters"]
v, t = p["speed"], p["tilt"]
print("land=%.17g,apex=%.17g" % (v*v*math.sin(2*t)/9.81, (v*math.sin(t))**2/19.62))'
}
number() { python3 -c "import json; print(json.load(open('out'))$1)"; }

printf 'x\n1\n2\n' >contexts.csv
problem '{apex: {at_most: 1.2}}' '[{speed: 2, tilt: 0.5}]'
expect 0 'limits       apex at most 1.2, with chance 0.95' "$fcps" check throw.yaml
grep -q '^safe         1 trial, where learning begins' out || complain "safe is not shown: $(cat out)"
expect 0 'made throw.fcps' "$fcps" study new throw.fcps --problem throw.yaml --seed 1001
broken=0
for ask in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
  expect 0 '"parameters"' "$fcps" study ask throw.fcps --target x=3.5 --json
  [ "$ask" -gt 1 ] || [ "$(number '["parameters"]')" = "{'speed': 2.0, 'tilt': 0.5}" ] || complain "it does not begin safely: $(cat out)"
  told=$(trial)
  case ${told#*apex=} in 0.* | 1.[01]*) ;; *) broken=$((broken + 1)) ;; esac
  expect 0 . "$fcps" study tell throw.fcps "$ask" --outcome "$told"
done
[ "$broken" -le 1 ] || complain "$broken of 14 trials broke the limit"
expect 0 '"chance_of_limits":' "$fcps" study best throw.fcps --target x=3.5 --json
python3 -c "assert $(number '["limits"]["apex"]') > 0.94" || complain "best keeps the limit too seldom: $(cat out)"
expect 0 'keeps        apex with chance' "$fcps" study best throw.fcps --target x=3.5
expect 0 'keeps all limits with chance' "$fcps" study ask throw.fcps --target x=3.5
expect 0 '"expected":{.*"limits":{"apex":' "$fcps" study asks throw.fcps --json
expect 0 '"chance_of_limits":' "$fcps" study retarget throw.fcps --contexts contexts.csv --json
expect 0 "limit              apex was broken by $broken of 14 results" "$fcps" study status throw.fcps
expect 0 '"limits":{"apex":{"results":14,"broken":' "$fcps" study status throw.fcps --json

# other limits afterwards: all old trials count. A limit that nothing keeps is said, and refused by --strict
expect 0 . "$fcps" study amend throw.fcps --limits '{apex: {at_most: 0.001*x, chance: 0.99}}'
expect 0 'W_LIMIT: no parameters are known that keep the limits with their chance here' "$fcps" study best throw.fcps --target x=3.5
expect 2 'E_BOUNDS: limits: no parameters are known' "$fcps" study best throw.fcps --target x=3.5 --strict
expect 0 'limits' "$fcps" study events throw.fcps
expect 0 'W_LIMIT: no parameters are known that keep the limits with their chance in ' "$fcps" retarget throw.fcps contexts.csv
grep -q ',chance_of_limits$' out || complain "retarget has no chances of limits: $(cat out)"
expect 2 "uses no outcome" "$fcps" study amend throw.fcps --limits '{fast: {of: 2*speed, at_most: 4}}'

# a safe trial that broke a limit is not safe, and one that does not keep the constraints of a context is not for it
problem '{apex: {at_most: 1.2}}' '[{speed: 2, tilt: 0.5}]'
expect 0 'made' "$fcps" study new broke.fcps --problem throw.yaml
expect 0 "speed=2  tilt=0.5" "$fcps" study ask broke.fcps --target x=2
expect 0 . "$fcps" study tell broke.fcps 1 --outcome land=1,apex=3
expect 0 'W_BLIND_START: no safe trial' "$fcps" study ask broke.fcps --target x=2
echo 'constraints: [speed <= x]' >>throw.yaml
expect 0 'made' "$fcps" study new narrow.fcps --problem throw.yaml
expect 0 'W_BLIND_START: no safe trial' "$fcps" study ask narrow.fcps --target x=1.5
expect 0 "speed=2  tilt=0.5" "$fcps" study ask narrow.fcps --target x=3

# without a safe trial the first ones are blind; learners that cannot keep limits refuse
problem '{high: {of: "max(apex, land/4)", at_most: x/2 + 1, chance: 0.9}}' '[]'
expect 0 'W_BLIND_START' "$fcps" study new blind.fcps --problem throw.yaml
expect 2 'E_UNSUPPORTED: limits: c-reps has no model of outcomes' "$fcps" study new no.fcps --problem throw.yaml --learner c-reps
expect 2 'E_UNSUPPORTED: limits: .*bo-fcps' "$fcps" study new no.fcps --problem throw.yaml --learner bo-fcps
problem '{apex: {at_most: 1.2, chance: 2}}' '[]'
expect 2 'throw.yaml:6:.*limits.apex: the chance 2 is not between' "$fcps" check throw.yaml
problem '{apex: {at_most: land}}' '[]'
expect 2 "limits.apex: the level uses 'land'" "$fcps" check throw.yaml
problem '{apex: {at_most: 1}}' '[{speed: 2}]'
expect 2 "safe: 'tilt' is missing" "$fcps" check throw.yaml

# a limit that is written into the reward is recognized, and a goal is none
for reward in 'apex > 1.2 ? -50 : -abs(land - x)' '-abs(land - x) - 50*(apex > 1.2)' '1.2 >= apex ? -abs(land - x) : -50'; do
  sed "s/^reward: .*/reward: \"$reward\"/; /^limits/d; /^safe/d" throw.yaml >disguise.yaml
  expect 0 'W_REWARD_LIMIT: .* write: limits: {apex: {at_most: 1.2}}' "$fcps" check disguise.yaml
done
expect 0 'W_REWARD_LIMIT' "$fcps" study new disguise.fcps --problem disguise.yaml
for reward in 'apex > 1.2 ? 1 : 0' '-abs(land - x) - apex' 'land > x ? x - land : 2*(land - x)'; do
  sed "s/^reward: .*/reward: \"$reward\"/; /^limits/d; /^safe/d" throw.yaml >goal.yaml
  expect 0 reward "$fcps" check goal.yaml
  ! grep -q W_REWARD_LIMIT out err || complain "$reward is taken for a limit: $(cat out err)"
done
exit $failed
