# SPDX-License-Identifier: Apache-2.0
# Limits at the command line: `check` shows them, asks and best keep them, every answer has their chances, `status` counts
# broken ones; they are amended and refused.
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
expect 0 "limit              apex was beyond its limit in $broken of 14 trials; of 1[0-9] whose outcome was predicted, in [01]: about 0.* were expected" "$fcps" study status throw.fcps
expect 0 '"limits":{"apex":{"results":14,"broken":.*"foretold_broken":' "$fcps" study status throw.fcps --json

# other limits afterwards: all old trials count. If no parameters keep a limit, commands say so, and --strict refuses
expect 0 . "$fcps" study amend throw.fcps --limits '{apex: {at_most: 0.001*x, chance: 0.99}}'
expect 0 'W_LIMIT: no parameters are known that keep the limits with their chance here' "$fcps" study best throw.fcps --target x=3.5
expect 2 'E_BOUNDS: limits: no parameters are known' "$fcps" study best throw.fcps --target x=3.5 --strict
expect 2 'E_BOUNDS: limits: no parameters are known that keep the limits with their chance here; the best ones keep them with chance' "$fcps" study ask throw.fcps --target x=3.5 --strict
expect 0 '"asks":\[{"ask":15' "$fcps" study asks throw.fcps --json # the strict one was not stored
expect 0 'limits' "$fcps" study events throw.fcps
expect 0 'W_LIMIT: no parameters are known that keep the limits with their chance in ' "$fcps" retarget throw.fcps contexts.csv
grep -q ',chance_of_limits$' out || complain "retarget has no chances of limits: $(cat out)"
expect 2 "uses no outcome" "$fcps" study amend throw.fcps --limits '{fast: {of: 2*speed, at_most: 4}}'

# a safe trial that broke a limit is no longer safe; in a context whose constraints it breaks, it is not proposed
problem '{apex: {at_most: 1.2}}' '[{speed: 2, tilt: 0.5}]'
expect 0 'made' "$fcps" study new broke.fcps --problem throw.yaml
expect 0 "speed=2  tilt=0.5" "$fcps" study ask broke.fcps --target x=2
expect 0 . "$fcps" study tell broke.fcps 1 --outcome land=1,apex=3
expect 0 'W_BLIND_START: no known safe trial' "$fcps" study ask broke.fcps --target x=2
echo 'constraints: [speed <= x]' >>throw.yaml
expect 0 'made' "$fcps" study new narrow.fcps --problem throw.yaml
expect 0 'W_BLIND_START: no known safe trial' "$fcps" study ask narrow.fcps --target x=1.5
expect 0 "speed=2  tilt=0.5" "$fcps" study ask narrow.fcps --target x=3

# without a safe trial the first ones are blind; learners that cannot keep limits refuse
problem '{high: {of: "max(apex, land/4)", at_most: x/2 + 1, chance: 0.9}}' '[]'
expect 0 'W_BLIND_START' "$fcps" study new blind.fcps --problem throw.yaml
expect 2 'E_UNSUPPORTED: limits: c-reps has no model of outcomes' "$fcps" study new no.fcps --problem throw.yaml --learner c-reps
expect 2 'E_UNSUPPORTED: limits: .*bo-fcps' "$fcps" study new no.fcps --problem throw.yaml --learner bo-fcps
expect 2 "no dimension is called 'm'. If it is a unit, leave it out" "$fcps" study amend throw.fcps --limits '{apex: {at_most: 1.2 m}}'
expect 2 'decimals have a point, as in 0.95' "$fcps" study amend throw.fcps --limits '{apex: {at_most: 1, chance: 0,9}}'
problem '{apex: {at_most: 1.2, chance: 2}}' '[]'
expect 2 'throw.yaml:6:.*limits.apex: the chance 2 is not between' "$fcps" check throw.yaml
problem '{apex: {at_most: land}}' '[]'
expect 2 "limits.apex: the level uses 'land'" "$fcps" check throw.yaml
problem '{apex: {at_most: 1}}' '[{speed: 2}]'
expect 2 "safe: 'tilt' is missing" "$fcps" check throw.yaml

# without safe parameters a strict ask is refused until a trial has kept the limits; safe parameters can be named later, and
# are at first the best
problem '{apex: {at_most: 1.2}}' '[]'
expect 0 'W_BLIND_START' "$fcps" study new later.fcps --problem throw.yaml
expect 2 'E_BOUNDS: limits: no parameters are known yet that keep the limits' "$fcps" study ask later.fcps --target x=2 --strict
expect 0 . "$fcps" study amend later.fcps --safe '[{speed: 3, tilt: 0.4}]'
expect 0 'parameters   speed=3  tilt=0.4' "$fcps" study best later.fcps --target x=2
expect 0 'speed=3  tilt=0.4' "$fcps" study ask later.fcps --target x=2 --strict
expect 0 . "$fcps" study amend later.fcps --constraints '[speed <= 2 + x/4]'
expect 0 'constraints.*\[\] -> ' "$fcps" study log later.fcps
expect 2 "'fast' is not a parameter" "$fcps" study amend later.fcps --safe '[{fast: 3}]'
expect 2 'no parameters within their bounds keep' "$fcps" study amend later.fcps --constraints '[speed <= x - 4]'
expect 2 'give one of --reward, --constraints, --limits, --safe' "$fcps" study amend later.fcps --safe '[]' --constraints '[]'

# a word that no safe trial has is not tried, and this is said; without safe trials its first trial is blind
cat >tools.yaml <<'END'
name: tools
parameters: {tool: {choices: [mill, saw, drill, file]}, speed: [0, 1]}
outcome: [rate, force]
reward: rate
limits: {force: {at_most: 1}}
END
expect 0 'W_BLIND_START: .*first one with each word.*an entry for each word' "$fcps" study new tools.fcps --problem tools.yaml
for i in 1 2 3 4 5 6; do
  expect 0 . "$fcps" study ask tools.fcps --json
  cat err >>said
  expect 0 . "$fcps" study tell tools.fcps $i --outcome "rate=$i,force=0.$i"
done
grep -q 'W_BLIND_START: ask .* is the first trial with tool=' said || complain "a blind trial of a word is not named: $(cat said)"
echo 'safe: [{tool: mill, speed: 0.2}]' >>tools.yaml
expect 0 'W_UNSAFE_WORD: no safe trial has tool=saw' "$fcps" check tools.yaml

# status says early which words no ask tries, and the command that changes it; a safe trial that is declared later is asked
# for, and its word then has a result
"$fcps" study new words.fcps --problem tools.yaml >/dev/null 2>&1
for i in 1 2 3 4; do
  expect 0 . "$fcps" study ask words.fcps --json
  expect 0 . "$fcps" study tell words.fcps $i --outcome "rate=$i,force=0.$i"
done
expect 0 "^never tried  *tool=saw, tool=drill, tool=file: no safe trial has these words" "$fcps" study status words.fcps
grep -qF "fcps study amend words.fcps --safe '[{" out || complain "no command for words that are never tried: $(cat out)"
expect 0 . "$fcps" study amend words.fcps --safe '[{tool: mill, speed: 0.2}, {tool: drill, speed: 0.2}]'
expect 0 "^never tried  *tool=drill: every other ask" "$fcps" study status words.fcps
for i in 5 6; do
  expect 0 . "$fcps" study ask words.fcps --json
  cat out >>asked
  expect 0 . "$fcps" study tell words.fcps $i --outcome "rate=$i,force=0.$i"
done
grep -q '"tool": *"drill"' asked || complain "a safe trial that is declared later is not asked for: $(cat asked)"
expect 0 "^never tried  *tool=saw, tool=file: no safe" "$fcps" study status words.fcps
expect 0 'names its parameters as safe; it is the first trial with tool=drill' "$fcps" study why words.fcps 6

# no share for a word that was never varied
"$fcps" study new fixed.fcps --problem tools.yaml >/dev/null 2>&1
awk 'BEGIN { print "tool,speed,rate,force"; for (i = 0; i < 9; i++) print "mill," i / 9 "," i / 5 "," i / 10 }' >fixed.csv
expect 0 . "$fcps" study import fixed.fcps fixed.csv
expect 0 '^never varied  *tool: the influence is unknown' "$fcps" study explain fixed.fcps
! grep -q 'tool [0-9]* %' out || complain "a share of what was never varied: $(cat out)"

# unfinished asks do not drive others out of a narrow corner that keeps the limits: the chance of a strict ask is the one it
# shows
cat >corner.yaml <<'END'
name: corner
target: {x: [0, 2]}
environment: {e: [0, 1]}
parameters: {a: [0, 1], b: [0, 1]}
outcome: [y, p]
reward: -abs(y - x)
limits: {p: {at_most: 0.2}}
safe: [{a: 0.1, b: 0.1}]
END
awk 'BEGIN { print "x,e,a,b,y,p"; for (i = 0; i < 25; i++) { a = i%5/4; b = int(i/5)/4; e = i%3/2;
  print "1," e "," a "," b "," a - b + e*0.2 + 0.02*(i*7%5 - 2) "," 8*(a + b)*(a + b) + e*0.2 + 0.05*(i*3%5 - 2) } }' >corner.csv
expect 0 'made' "$fcps" study new corner.fcps --problem corner.yaml
expect 0 'imported 25' "$fcps" study import corner.fcps corner.csv
for ask in 1 2 3 4; do
  expect 0 '"chance_of_limits":0\.9[5-9]' "$fcps" study ask corner.fcps --target x=2 --environment e=0.5 --strict --json
done

# one result far away makes the model unsure here: parameters that kept the limits in this context, or are declared safe,
# still come first
cat >near.yaml <<'END'
name: near
target: {wanted: [3, 8]}
environment: {bean: [arabica, robusta, liberica], humidity: [20, 80]}
parameters: {drum: [tall, wide, flat], heat: [150, 260], time: [5, 20]}
outcome: {acidity: [0, 12], peak: [100, 320]}
reward: -abs(acidity - wanted)
limits: {peak: {at_most: 230}}
safe: [{drum: wide, heat: 170, time: 10}]
END
printf 'wanted,bean,humidity,drum,heat,time,acidity,peak\n5,arabica,50,wide,170,10,6.95,183\n5,arabica,50,wide,171,10,6.9,184\n' >near.csv
printf '5,robusta,45,wide,250,12,3.1,262\n' >>near.csv
expect 0 'made' "$fcps" study new near.fcps --problem near.yaml
expect 0 'imported 3' "$fcps" study import near.fcps near.csv
for verb in ask best; do
  expect 0 '"chance_of_limits":\(0\.9[5-9]\|1\)' "$fcps" study "$verb" near.fcps --target wanted=5 --environment bean=arabica,humidity=50 --json
  ! grep -q W_LIMIT err || complain "$verb knows nothing sure: $(cat err)"
done
# the model has two results, and trusts no parameters
expect 0 'made' "$fcps" study new two.fcps --problem near.yaml
printf 'wanted,bean,humidity,drum,heat,time,acidity,peak\n6,robusta,30,wide,170,10,4.34,193.3\n6,robusta,30,wide,150,10.59,4.6,182\n' >two.csv
expect 0 'imported 2' "$fcps" study import two.fcps two.csv
expect 0 'drum=wide  heat=1\(70 *time=10\|50  *time=10.59\)$' "$fcps" study best two.fcps --target wanted=6 --environment bean=robusta,humidity=30

# a safe trial must be possible; a level that an outcome always or never keeps is questioned
safe() { sed "s/^safe:.*/safe: [$1]/; s/time: \[5, 20\]/time: {range: [5, 20], scale: integer}/" near.yaml >unsafe.yaml; echo 'constraints: [heat + 4*time <= 300]' >>unsafe.yaml; }
safe '{drum: wide, heat: 170, time: 10}'
expect 0 'safe         1 trial' "$fcps" check unsafe.yaml
expect 0 'made' "$fcps" study new unsafe.fcps --problem unsafe.yaml
expect 2 'breaks the constraint "heat + 4\*time <= 300"' "$fcps" study amend unsafe.fcps --safe '[{drum: wide, heat: 250, time: 20}]'
expect 2 'time=10.5 is not on the steps of time' "$fcps" study amend unsafe.fcps --safe '[{drum: wide, heat: 170, time: 10.5}]'
safe '{drum: wide, heat: 250, time: 20}'
expect 2 'unsafe.yaml:8:8: .*safe.1: .*breaks the constraint "heat + 4\*time <= 300"' "$fcps" check unsafe.yaml
safe '{drum: wide, heat: 170, time: 10}, {drum: wide, heat: 170, time: 10.5}'
expect 2 'unsafe.yaml:8:43: .*safe.2: time=10.5 is not on the steps' "$fcps" check unsafe.yaml
sed 's/at_most: 230/at_most: 90/' near.yaml >never.yaml
expect 0 'W_LIMIT_LEVEL: limit "peak": no number in the range' "$fcps" check never.yaml

# amending limits replaces them all, and names those that are gone
expect 0 'no longer limited: peak' "$fcps" study amend unsafe.fcps --limits '{acidity: {at_least: 4}}'
grep -q '^limited now: acidity$' out || complain "what is in force is not said: $(cat out)"
expect 0 '"safe":\[{"drum":"wide","heat":170.0,"time":10.0}\]' "$fcps" study problem unsafe.fcps --json

# levels between which nothing lies
problem '{apex: {at_most: 2, at_least: 3}}' '[]'
expect 2 'limits.apex: nothing is at least "3" and at most "2"' "$fcps" check throw.yaml

# in some contexts no parameters keep the constraints: the run draws other ones, and status still works
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

# what was not measured breaks no limit, and keeps none
problem '{apex: {at_most: 1.2}}' '[]'
expect 0 'made' "$fcps" study new lost.fcps --problem throw.yaml
printf 'x,speed,tilt,land,apex\n1,2,0.5,0.3,nan\n2,3,0.5,0.7,nan\n3,4,1,1.3,nan\n' >lost.csv
expect 0 'imported 3' "$fcps" study import lost.fcps lost.csv
expect 0 'apex was beyond its limit in 0 of 0 trials; 3 more did not measure it' "$fcps" study status lost.fcps
expect 2 'no parameters are known yet' "$fcps" study ask lost.fcps --target x=1 --strict
printf 'x,speed,tilt,land,apex\n1,8,1.5,0.9,3.2\n2,3,0.6,0.8,0.1\n' >found.csv
expect 0 'imported 2' "$fcps" study import lost.fcps found.csv
expect 0 'apex was beyond its limit in 1 of 2 trials; 3 more did not measure it' "$fcps" study status lost.fcps
expect 0 '"limits":{"apex":{"results":2,"broken":1,"unmeasured":3,' "$fcps" study status lost.fcps --json

# a learner that chooses contexts keeps the limits in them
problem '{apex: {at_most: 1.2}}' '[{speed: 2, tilt: 0.5}]'
expect 0 'made' "$fcps" study new active.fcps --problem throw.yaml --learner outcome-active
expect 0 'speed=2  tilt=0.5' "$fcps" study choose active.fcps

# a limit that is written into the reward is recognized; a goal is not taken for one
for reward in 'apex > 1.2 ? -50 : -abs(land - x)' '-abs(land - x) - 50*(apex > 1.2)' '1.2 >= apex ? -abs(land - x) : -50' \
  '-abs(land - x) - (apex > 1.2 ? 50 : 0)' '-abs(land - x) + (apex <= 1.2 ? 0 : -50)' '-(apex > 1.2 ? 50 : 0) - abs(land - x)'; do
  sed "s/^reward: .*/reward: \"$reward\"/; /^limits/d; /^safe/d" throw.yaml >disguise.yaml
  expect 0 'W_REWARD_LIMIT: .* write: limits: {apex: {at_most: 1.2}}' "$fcps" check disguise.yaml
done
expect 0 'W_REWARD_LIMIT' "$fcps" study new disguise.fcps --problem disguise.yaml
for reward in 'apex > 1.2 ? 1 : 0' '-abs(land - x) + (land > x ? 1 : 0)' '-abs(land - x) - apex' 'land > x ? x - land : 2*(land - x)'; do
  sed "s/^reward: .*/reward: \"$reward\"/; /^limits/d; /^safe/d" throw.yaml >goal.yaml
  expect 0 reward "$fcps" check goal.yaml
  ! grep -q W_REWARD_LIMIT out err || complain "$reward is taken for a limit: $(cat out err)"
done
exit $failed
