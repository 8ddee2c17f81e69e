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
expect 0 "limit              apex was broken by $broken of 14 results; by [01] of the 1[0-9] that asks foretold, where 0.* were expected" "$fcps" study status throw.fcps
expect 0 '"limits":{"apex":{"results":14,"broken":.*"foretold_broken":' "$fcps" study status throw.fcps --json

# other limits afterwards: all old trials count. A limit that nothing keeps is said, and refused by --strict
expect 0 . "$fcps" study amend throw.fcps --limits '{apex: {at_most: 0.001*x, chance: 0.99}}'
expect 0 'W_LIMIT: no parameters are known that keep the limits with their chance here' "$fcps" study best throw.fcps --target x=3.5
expect 2 'E_BOUNDS: limits: no parameters are known' "$fcps" study best throw.fcps --target x=3.5 --strict
expect 2 'E_BOUNDS: limits: no parameters are known that keep them with their chance here; the surest do with' "$fcps" study ask throw.fcps --target x=3.5 --strict
expect 0 '"asks":\[{"ask":15' "$fcps" study asks throw.fcps --json # the strict one was not stored
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
expect 2 'decimals have a point, as in 0.95' "$fcps" study amend throw.fcps --limits '{apex: {at_most: 1, chance: 0,9}}'
problem '{apex: {at_most: 1.2, chance: 2}}' '[]'
expect 2 'throw.yaml:6:.*limits.apex: the chance 2 is not between' "$fcps" check throw.yaml
problem '{apex: {at_most: land}}' '[]'
expect 2 "limits.apex: the level uses 'land'" "$fcps" check throw.yaml
problem '{apex: {at_most: 1}}' '[{speed: 2}]'
expect 2 "safe: 'tilt' is missing" "$fcps" check throw.yaml

# without safe parameters a strict ask is refused until something kept the limits; they can be named later, and are best at first
problem '{apex: {at_most: 1.2}}' '[]'
expect 0 'W_BLIND_START' "$fcps" study new later.fcps --problem throw.yaml
expect 2 'E_BOUNDS: limits: nothing is known yet that keeps them' "$fcps" study ask later.fcps --target x=2 --strict
expect 0 . "$fcps" study amend later.fcps --safe '[{speed: 3, tilt: 0.4}]'
expect 0 'parameters   speed=3  tilt=0.4' "$fcps" study best later.fcps --target x=2
expect 0 'speed=3  tilt=0.4' "$fcps" study ask later.fcps --target x=2 --strict
expect 0 . "$fcps" study amend later.fcps --constraints '[speed <= 2 + x/4]'
expect 0 'constraints.*\[\] -> ' "$fcps" study log later.fcps
expect 2 "'fast' is not a parameter" "$fcps" study amend later.fcps --safe '[{fast: 3}]'
expect 2 'no parameters within their bounds keep' "$fcps" study amend later.fcps --constraints '[speed <= x - 4]'
expect 2 'give one of --reward, --constraints, --limits, --safe' "$fcps" study amend later.fcps --safe '[]' --constraints '[]'

# levels between which nothing lies
problem '{apex: {at_most: 2, at_least: 3}}' '[]'
expect 2 'limits.apex: nothing is at least "3" and at most "2"' "$fcps" check throw.yaml

# contexts in which no parameters keep the constraints: other ones are drawn, and status is whole
problem '{apex: {at_most: 1.2}}' '[]'
cat >>throw.yaml <<'END'
constraints: [speed <= 4*x - 4]
run: {command: ["python3", "-c", "import sys, json\nfor line in sys.stdin: print(json.dumps({'ask': json.loads(line)['ask'], 'outcome': {'land': 1.0, 'apex': 0.5}}), flush=True)"], timeout_s: 5}
END
expect 0 'W_NO_PARAMETERS' "$fcps" run throw.yaml --store some.fcps --episodes 8
expect 0 'mean over 64 contexts' "$fcps" study status some.fcps
expect 2 'no parameters within their bounds keep' "$fcps" study ask some.fcps --target x=1
printf 'x\n1\n3\n' >some.csv
expect 0 'W_NO_PARAMETERS: no parameters keep the constraints in 1 of 2 contexts' "$fcps" study retarget some.fcps --contexts some.csv --json
expect 2 'no parameters within their bounds keep' "$fcps" study retarget some.fcps --contexts some.csv --strict

# a learner that chooses contexts keeps the limits in them
problem '{apex: {at_most: 1.2}}' '[{speed: 2, tilt: 0.5}]'
expect 0 'made' "$fcps" study new active.fcps --problem throw.yaml --learner outcome-active
expect 0 'speed=2  tilt=0.5' "$fcps" study choose active.fcps

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
