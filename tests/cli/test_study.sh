# SPDX-License-Identifier: Apache-2.0
# The study commands as a user meets them: what they print, their exit codes, and that a killed run goes on as if it had
# never stopped.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

# field NAME: a number of the JSON object in out
field() { sed -n "s/.*\"$1\":\([-0-9.e]*\).*/\1/p" out; }

cat >throw.yaml <<'YAML'
name: throw
target: {x: [0, 5]}
environment: {wind: [-1, 1]}
parameters: {speed: {range: [0, 3], unit: m/s}, tilt: [0, 1.5]}
outcome: [land]
achieved: {x: land}
reward: "present ? -distance - 0.05*speed^2 : -9"
learner: {name: bo-fcps, initial: 3}
run: {command: [python3, simulate.py], timeout_s: 30}
YAML
cat >simulate.py <<'PYTHON'
import json, math, sys
for line in sys.stdin:
    a = json.loads(line)
    p = a["parameters"]
    land = p["speed"] ** 2 * math.sin(2 * p["tilt"]) / 2 + a["environment"]["wind"]
    print(json.dumps({"ask": a["ask"], "outcome": {"land": land}}), flush=True)
PYTHON

# help
expect 0 'fcps study new throw.fcps' "$fcps" study --help
for command in new ask choose tell forget best status check-model log export import amend backup restore repair; do
  expect 0 'Example' "$fcps" study $command --help
done
expect 0 'Example' "$fcps" retarget --help
expect 0 'Example' "$fcps" policy --help
expect 2 'did you mean ask' "$fcps" study aks
expect 2 'which STUDY' "$fcps" study ask

# mistakes in the problem have their place
sed 's/0.05\*speed/0.05*sped/' throw.yaml >wrong.yaml
expect 2 'wrong.yaml:7:37: reward: .*speed' "$fcps" study new wrong.fcps --problem wrong.yaml
new_wrong() { sed "s/^learner.*/learner: $1/" throw.yaml >wrong.yaml; shift; "$fcps" study new wrong.fcps --problem wrong.yaml "$@"; }
expect 2 'wrong.yaml:8:17: learner.name: .*bo-fcps' new_wrong '{name: bo-fcsp, initial: 3}'
expect 2 'wrong.yaml:8:10: learner.name: .*bo-fcps' new_wrong 'bo-fcsp'
expect 2 'wrong.yaml:8:33: learner.kappa: "high"' new_wrong '{name: bo-fcps, kappa: high}'
expect 2 'wrong.yaml:8:33: learner.kapa: .*kappa' new_wrong '{name: bo-fcps,  kapa: 3}'
expect 2 'E_[A-Z]*: kappa: "low"' new_wrong '{name: bo-fcps, kappa: 1}' --set kappa=low
[ ! -e wrong.fcps ] || complain 'a study was made in spite of an error'
expect 2 'did you mean bo-fcps' "$fcps" study new wrong.fcps --problem throw.yaml --learner bo-fcsp
expect 2 'the name of the study is empty' "$fcps" study new '' --problem throw.yaml
expect 2 'the name of the study is empty' "$fcps" study status ''
# only the lower-case schemes are schemes; the others are plain names
for name in 'MEMORY:' 'SQLITE:x'; do
  expect 0 'learner bo-fcps' "$fcps" study new "$name" --problem throw.yaml
  [ -s "$name" ] || complain "$name is not a plain file"
done
expect 4 'missing.fcps' "$fcps" study ask missing.fcps --target x=1
expect 4 'cannot be read' "$fcps" study status .
! grep -q 'NOT stored' err || complain 'a command that reads speaks of storing'

# the exit codes are the same in the help and in the document
codes() { tr '\n' ' ' | sed 's/  */ /g; s/.*Exit codes: \(.*130 interrupted\.\).*/\1/'; }
"$fcps" help | codes >out
codes <"$FCPS_SOURCE_DIR/docs/files.md" | cmp -s - out || complain "other exit codes in docs/files.md than in the help: $(cat out)"

# ask and tell
expect 0 'learner bo-fcps' "$fcps" study new throw.fcps --problem throw.yaml --seed 1
expect 4 'exists' "$fcps" study new throw.fcps --problem throw.yaml --seed 2
printf 'wind,x\n0.5,1\n' >one.csv
expect 0 'W_NO_RESULTS' "$fcps" study best throw.fcps --target x=3 --environment wind=0
expect 0 'W_NO_RESULTS' "$fcps" retarget throw.fcps one.csv
expect 0 'W_NO_RESULTS' "$fcps" policy export throw.fcps -o empty.policy
expect 2 'wind is missing' "$fcps" study ask throw.fcps --target x=3
expect 2 'did you mean x\|Choose from: x' "$fcps" study ask throw.fcps --target y=3 --environment wind=0
expect 2 'target.x' "$fcps" study ask throw.fcps --target x=30 --environment wind=0
expect 0 '"ask":1,"target":{"x":3' "$fcps" study ask throw.fcps --target x=3 --environment wind=0 --client a --json
grep -q '"repeated":false' out || complain "a new ask does not say so: $(cat out)"
sed 's/false/true/' out >first
expect 0 '"ask":1.*"repeated":true' "$fcps" study ask throw.fcps --target x=3 --environment wind=0 --client a --json
cmp -s out first || complain 'the client did not get its ask again'
[ ! -s err ] || complain "words about another context where it is the same: $(cat err)"
expect 0 'W_OTHER_CONTEXT: .*unfinished ask 1 of a.*forget throw.fcps 1' \
  "$fcps" study ask throw.fcps --target x=4 --environment wind=0 --client a --shell
grep -qx 'repeated=1' out && grep -qx 'x=3' out || complain "the client did not get its ask again: $(cat out)"
expect 0 '^speed=' "$fcps" study ask throw.fcps --target x=3 --environment wind=0 --shell
grep -qx 'repeated=0' out || complain "a new ask does not say so: $(cat out)"
for name in PATH IFS LD_PRELOAD repeated; do
  printf 'parameters: {%s: [0, 1]}\noutcome: [o]\nreward: o\n' $name >shell.yaml
  rm -f shell.fcps
  "$fcps" study new shell.fcps --problem shell.yaml >out
  expect 2 "name of the dimension $name is also" "$fcps" study ask shell.fcps --shell
  expect 0 "\"ask\":1,.*\"$name\":" "$fcps" study ask shell.fcps --json
done
expect 0 'unfinished *ask 2: target x=3, environment wind=0, parameters speed=' "$fcps" study status throw.fcps
grep -q 'unfinished *ask 1 of a: target x=3' out || complain "the ask of a client is not shown: $(cat out)"
expect 0 '"pending":2,"pending_asks":\[{"ask":1,"target":{"x":3.*"client":"a"},{"ask":2,.*"speed":.*"client":""}\]' \
  "$fcps" study status throw.fcps --json
expect 2 'one of --json and --shell' "$fcps" study ask throw.fcps --target x=3 --environment wind=0 --json --shell
expect 2 '--target: is given twice; values are joined' "$fcps" study ask throw.fcps --target x=1 --target y=2
expect 2 'status ok' "$fcps" study tell throw.fcps 2 --failed slipped --status ok
expect 2 'client of `fcps run`' "$fcps" study ask throw.fcps --target x=3 --environment wind=0 --client run
expect 2 'does not choose' "$fcps" study choose throw.fcps
expect 0 'stored result of ask 1, reward' "$fcps" study tell throw.fcps 1 --outcome land=2.5
expect 0 'was there already' "$fcps" study tell throw.fcps 1 --outcome land=2.5
expect 2 'E_CONFLICT.*amend throw.fcps --use 1.2' "$fcps" study tell throw.fcps 1 --outcome land=2.6
expect 0 '"stored":true' "$fcps" study tell throw.fcps 2 --failed 'gripper slipped' --json
# a mistake has the same message, whatever the command
expect 2 'E_UNKNOWN_ASK: ask: there is no ask 9 in this study; fcps study asks throw.fcps --state all lists them.$' "$fcps" study tell throw.fcps 9 --outcome land=1
expect 2 'E_UNKNOWN_ASK: ask: there is no ask 9 in this study; fcps study asks throw.fcps --state all lists them.$' "$fcps" study forget throw.fcps 9
expect 2 'Give --outcome' "$fcps" study tell throw.fcps 1
expect 2 'leave out --reward' "$fcps" study tell throw.fcps 1 --outcome land=1 --reward 3
expect 0 'W_REWARD_NOT_FINITE' "$fcps" study tell throw.fcps --target x=1 --environment wind=0 \
  --executed speed=1,tilt=1 --outcome land=nan
expect 0 'reward -9' "$fcps" study tell throw.fcps --target x=1 --environment wind=0 --executed speed=1,tilt=1 --no-outcome
"$fcps" study ask throw.fcps --target x=3 --environment wind=0 --json >out
expect 0 'stored' "$fcps" study tell throw.fcps 3 --outcome land=1 --executed speed=2.5
"$fcps" study log throw.fcps --json | grep '"ask":3' | grep -q '"speed":2.5' || complain 'what was executed is not stored'
"$fcps" study ask throw.fcps --target x=3 --environment wind=0 >out
expect 0 'forgot ask 4' "$fcps" study forget throw.fcps 4
expect 0 'W_TELL_LATE' "$fcps" study tell throw.fcps 4 --no-outcome
expect 0 'gripper slipped' "$fcps" study log throw.fcps
expect 0 'not used' "$fcps" study log throw.fcps

# a trial that nobody asked for, told again because the answer was lost
unasked() { "$fcps" study tell throw.fcps --target x=1 --environment wind=0 --executed speed=1,tilt=1 "$@"; }
expect 0 'was there already' unasked --no-outcome
expect 0 'without an ask, reward' unasked --no-outcome --key 'log 7'
expect 0 'was there already' unasked --no-outcome --key 'log 7'
expect 2 'E_CONFLICT.*log 7' unasked --outcome land=1 --key 'log 7'
expect 2 'does not need a --key' unasked 1 --outcome land=1 --key 'log 7'

# told rewards, also for the target that was achieved
cat >told.yaml <<'YAML'
target: {x: [0, 5]}
parameters: {speed: [0, 3]}
outcome: [land]
achieved: {x: land}
reward: told
learner: {name: bo-fcps-her, initial: 2}
run: {command: [python3, told.py], timeout_s: 30}
YAML
cat >told.py <<'PYTHON'
import json, sys
for line in sys.stdin:
    a = json.loads(line)
    v = a["parameters"]["speed"]
    print(json.dumps({"ask": a["ask"], "outcome": {"land": v}, "reward": -abs(a["target"]["x"] - v) - v,
                      "hindsight_reward": -v}), flush=True)
PYTHON
told() { "$fcps" study tell told.fcps 1 --outcome land=1 --reward -2 "$@"; }
"$fcps" study new told.fcps --problem told.yaml >out
"$fcps" study ask told.fcps --target x=2 >out
expect 2 'hindsight-reward: "much"' told --hindsight-reward much
expect 2 'leave out --hindsight-reward' "$fcps" study tell throw.fcps 1 --outcome land=1 --hindsight-reward 3
expect 0 'stored' told --hindsight-reward -0.5
expect 0 'was there already' told --hindsight-reward -0.5
expect 2 'E_CONFLICT' told --hindsight-reward -0.25
expect 2 'E_CONFLICT' told
expect 0 '"hindsight_reward":-0.5' "$fcps" study log told.fcps --json
"$fcps" run told.yaml --store ran.fcps --episodes 5 --quiet >out
"$fcps" study export ran.fcps >ran.csv
grep -q '^ask,status,x,speed,land,reward,hindsight_reward,used,message' ran.csv || complain "columns: $(head -1 ran.csv)"
awk -F, 'NR > 1 && $7 != -$4 { exit 1 }' ran.csv || complain 'the hindsight rewards of the program are not stored'
cut -d, -f1-6,8- ran.csv >without.csv
for rows in ran without; do
  "$fcps" study new from-$rows.fcps --problem told.yaml >out
  expect 0 'imported 5 results' "$fcps" study import from-$rows.fcps $rows.csv
  expect 0 'imported 0 results, skipped 5' "$fcps" study import from-$rows.fcps $rows.csv
  "$fcps" study best from-$rows.fcps --target x=2 >best-$rows
done
! cmp -s best-ran best-without || complain 'hindsight rewards are not learnt from'

# active learners choose the context; given values stay
for learner in aces faces outcome-active; do
  "$fcps" study new $learner.fcps --problem throw.yaml --learner $learner --set initial=3 >out
  for x in 1 2 3 4 5; do
    expect 0 "\"ask\":$x,.*\"wind\":0.25" "$fcps" study choose $learner.fcps --environment wind=0.25 --json
    expect 0 'stored' "$fcps" study tell $learner.fcps $x --outcome land=$x
  done
  expect 0 '"ask":6' "$fcps" study choose $learner.fcps --client a --json
  sed 's/false/true/' out >first
  expect 0 '"ask":6' "$fcps" study choose $learner.fcps --client a --json
  cmp -s out first || complain "$learner: the client did not get its choice again"
  expect 0 'ask 7' "$fcps" study choose $learner.fcps --target x=2
  grep -q 'target *x=2' out || complain "$learner: the target that was said did not stay"
  expect 0 'reward ' "$fcps" study best $learner.fcps --target x=2 --environment wind=0
done

# run, kill -9, run again: the same as without interruption
run() { exec "$fcps" run throw.yaml --episodes "$1" --store "$2" --seed 4 --quiet; }
(run 12 straight.fcps) >straight
(run 12 killed.fcps) >killed &
pid=$!
tries=0
while [ ! -s killed.fcps-lock ] && kill -0 $pid 2>/dev/null && [ $tries -lt 200 ]; do
  tries=$((tries + 1))
  sleep 0.05
done
sleep 0.2
kill -9 $pid 2>/dev/null || true
wait $pid 2>/dev/null || true # its locks end with it
(run 12 killed.fcps) >>killed
"$fcps" study export straight.fcps >straight.csv
"$fcps" study export killed.fcps >killed.csv
cmp straight.csv killed.csv || complain 'a killed run does not end the same'
[ "$(wc -l <straight.csv)" -eq 13 ] || complain 'not every rollout was exported'
expect 2 'has its own' "$fcps" run throw.yaml --store straight.fcps --learner random

# a program that cannot be started, or ends at once, changes nothing; a run whose rollouts all fail is not a success
echo 'import no_such_module' >simulate_badly.py
for command in './nope' 'python3, simulate_badly.py'; do
  sed "s|^run.*|run: {command: [$command], timeout_s: 30}|" throw.yaml >broken.yaml
  expect 6 'Nothing is stored for ask 1' "$fcps" run broken.yaml --episodes 20 --store mended.fcps --seed 4
done
expect 0 '^rollouts  *0 results: .* 1 ask unfinished' "$fcps" study status mended.fcps
(run 12 mended.fcps) >out
"$fcps" study export mended.fcps | cmp - straight.csv || complain 'a broken program left its traces'
cat >fails.py <<'PYTHON'
import json, sys
for line in sys.stdin:
    print(json.dumps({"ask": json.loads(line)["ask"], "failed": "slipped"}), flush=True)
PYTHON
sed 's/simulate.py/fails.py/' throw.yaml >fails.yaml
expect 7 'every rollout of this run failed (3)' "$fcps" run fails.yaml --episodes 3 --store fails.fcps

# a program tells what it executed; an unknown key is named once
cat >clips.py <<'PYTHON'
import json, sys
for line in sys.stdin:
    a = json.loads(line)
    print(json.dumps({"ask": a["ask"], "outcome": {"land": 1}, "executed": {"speed": 0.25, "tilt": 0.5}, "note": 1}), flush=True)
PYTHON
sed 's/simulate.py/clips.py/' throw.yaml >clips.yaml
expect 0 'W_ANSWER_KEY: .*"note"' "$fcps" run clips.yaml --episodes 3 --store clips.fcps
[ "$(grep -c W_ANSWER_KEY err)" -eq 1 ] || complain 'a key that is not used is not named once'
[ "$("$fcps" study log clips.fcps --json | grep -c '"speed":0.25,"tilt":0.5')" -eq 3 ] || complain 'what the program executed is not stored'

# a trial without an outcome has no reward if the formula gives it none
sed 's/"outcome": {"land": 1}, "executed".*}), f/"outcome": None}), f/' clips.py >misses.py
sed -e 's/simulate.py/misses.py/' -e 's/^reward.*/reward: -distance/' throw.yaml >misses.yaml
expect 0 'W_NO_REWARD: .*learns where there is no outcome.*present' "$fcps" run misses.yaml --episodes 3 --store memory:
[ "$(grep -c W_NO_REWARD err)" -eq 1 ] || complain 'a missing reward is not mentioned once'
sed 's/simulate.py/misses.py/' throw.yaml >misses.yaml
expect 0 'reward -9' "$fcps" run misses.yaml --episodes 1 --store memory:
! grep -q W_NO_REWARD err || complain 'a reward that is there is missed'

# a study continues with its own reward, and warns if the file has another
"$fcps" run throw.yaml --episodes 2 --store amended.fcps --no-figure >out 2>err
! grep -q W_REWARD_DIFFERS err || complain 'the same reward is called another'
"$fcps" study amend amended.fcps --reward '-2*abs(land - x)' >/dev/null
expect 0 'W_REWARD_DIFFERS: the study goes on with its own reward, -2\*abs(land - x); throw.yaml says .*fcps study amend amended.fcps --reward ' \
  "$fcps" run throw.yaml --episodes 3 --store amended.fcps --no-figure

# the same for units and name; a unit that the study lacks is no contradiction
cp throw.yaml units.yaml
"$fcps" run units.yaml --episodes 2 --store units.fcps --no-figure >out 2>err
! grep -q W_WORDS_DIFFER err || complain 'the same words are called others'
sed 's|unit: m/s|unit: km/h|' throw.yaml >units.yaml
expect 0 'W_WORDS_DIFFER: units.yaml says km/h for speed, and the study says m/s' "$fcps" run units.yaml --episodes 3 --store units.fcps --no-figure
sed 's/^name:.*/name: other/' throw.yaml >units.yaml
expect 0 "W_WORDS_DIFFER: units.yaml is called 'other'" "$fcps" run units.yaml --episodes 4 --store units.fcps --no-figure
sed 's|, unit: m/s||' throw.yaml >units.yaml
"$fcps" run units.yaml --episodes 2 --store plain.fcps --no-figure >out 2>err
"$fcps" run throw.yaml --episodes 3 --store plain.fcps --no-figure >out 2>err
! grep -q W_WORDS_DIFFER err || complain "a new unit is called another: $(cat err)"

# messages: one of a thing, a zero without a sign, an interruption in one sentence
cat >hits.py <<'PYTHON'
import json, sys
for line in sys.stdin:
    a = json.loads(line)
    print(json.dumps({"ask": a["ask"], "outcome": {"land": a["target"]["x"]}}), flush=True)
PYTHON
sed -e 's/simulate.py/hits.py/' -e 's/^reward.*/reward: -distance/' throw.yaml >hits.yaml
expect 0 '^1 episode in ' "$fcps" run hits.yaml --episodes 1 --store hits.fcps
grep -q 'reward 0 ' out || complain "a reward of zero: $(cat out)"
expect 0 '^rewards  *best 0, ' "$fcps" study status hits.fcps
expect 0 ' reward 0$' "$fcps" study log hits.fcps
echo 'import time; time.sleep(60)' >sleeps.py
sed 's/simulate.py/sleeps.py/' throw.yaml >sleeps.yaml
"$fcps" run sleeps.yaml --store sleeps.fcps >out 2>err &
pid=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  ! "$fcps" study status sleeps.fcps 2>/dev/null | grep -q '1 ask unfinished' || break
  sleep 0.2
done
kill -INT $pid
got=0
wait $pid || got=$?
[ $got -eq 130 ] && grep -q 'stopped on request; nothing is lost' err || complain "interrupted: exit code $got, $(cat err)"

# a file that was edited is not ignored in silence; parts without effect may differ
sed 's/0.05\*speed/0.06*speed/' throw.yaml >edited.yaml
expect 2 'edited.yaml: reward: .*amend straight.fcps --reward' "$fcps" run edited.yaml --store straight.fcps
sed 's/wind: \[-1, 1\]/wind: [-1, 2]/' throw.yaml >edited.yaml
expect 2 'environment.wind: .*amend straight.fcps --bounds wind=-1,2' "$fcps" run edited.yaml --store straight.fcps
sed 's/initial: 3/initial: 4/' throw.yaml >edited.yaml
expect 2 'learner: .*new study' "$fcps" run edited.yaml --store straight.fcps
sed -e 's/ - 0.05/  -  0.05/' -e 's/^name.*/name: other # really/' -e 's/timeout_s: 30/timeout_s: 31/' throw.yaml >edited.yaml
expect 0 'nothing to do: 12 episodes are done, and --episodes is 3' "$fcps" run throw.yaml --store straight.fcps --episodes 3
got=0
"$fcps" run edited.yaml --store straight.fcps --episodes 12 --quiet >out 2>&1 || got=$?
[ $got -eq 0 ] || complain "a file that means the same was refused: $(cat out)"
"$fcps" study export straight.fcps | cmp - straight.csv || complain 'a finished run was changed'

# what was learnt
expect 0 'reward  .*+-' "$fcps" study best straight.fcps --target x=2 --environment wind=0
expect 0 'learning curve' "$fcps" study status straight.fcps --map map.csv
[ "$(wc -l <map.csv)" -eq 25 ] || complain 'the map has another size'
if command -v gnuplot >/dev/null; then
  "$fcps" study status straight.fcps --figure map.svg >out && [ -s map.svg ] || complain 'no figure was drawn'
fi
expect 0 '"converged":' "$fcps" study status straight.fcps --json
for key in '"output":"reward"' '"rollouts":12' '"noise_share":' '"wind":' '"speed":' '"jitter":0' '"fallback":null'; do
  sed 's/.*"model"://' out | grep -q -- "$key" || complain "the model in the JSON status lacks $key"
done
expect 0 'reward  *from 12 rollouts; noise .* of the spread; lengths: wind .*, speed .*, tilt .* times the range' \
  "$fcps" study status straight.fcps

# an impossible map is refused; without a target the map is over the environment
expect 2 'must end with .svg or .png' "$fcps" study status straight.fcps --figure map.pdf
sed '/^target/d; /^achieved/d; s/^reward.*/reward: "-abs(land - 1)"/' throw.yaml >aimless.yaml
sed '/^environment/d' aimless.yaml >alone.yaml
"$fcps" study new aimless.fcps --problem aimless.yaml >out
expect 2 'no result with a reward' "$fcps" study status aimless.fcps --map map.csv
expect 0 'stored' "$fcps" study tell aimless.fcps --environment wind=0.5 --executed speed=1,tilt=1 --outcome land=0.7
rm map.csv
for n in 2 3 4 5; do # fewer say nothing yet
  "$fcps" study tell aimless.fcps --environment wind=0.$n --executed speed=$n,tilt=0.$n --outcome land=1.$n >out
done
expect 0 'over wind' "$fcps" study status aimless.fcps --map map.csv
[ "$(wc -l <map.csv)" -eq 25 ] && grep -q '^-1,' map.csv && grep -q '^1,' map.csv || complain 'no map over the environment'
"$fcps" study new alone.fcps --problem alone.yaml >out
expect 0 'stored' "$fcps" study tell alone.fcps --executed speed=1,tilt=1 --outcome land=0.7
expect 2 'neither target nor environment' "$fcps" study status alone.fcps --figure map.svg
expect 0 'learning curve' "$fcps" study status alone.fcps
printf 'note,wind,x\n"a, b",0.5,1\nc,-0.5,2\n' >contexts.csv
expect 0 '^note,wind,x,speed,tilt,predicted_reward,predicted_reward_sd,chance_of_success,chance_of_outcome,success_reward,success_reward_sd$' \
  "$fcps" retarget straight.fcps contexts.csv
grep -q ',1,1,[^,]*,[^,]*$' out || complain 'a chance is below 1 although nothing went wrong'
grep -q '^"a, b",0.5,1,' out || complain 'retarget does not carry columns through'
cp out answer.csv
expect 0 '^note,wind,x,speed,tilt,predicted_reward,predicted_reward_sd' "$fcps" retarget straight.fcps answer.csv
cmp -s out answer.csv || complain 'an answer of retarget, given again, is answered otherwise'
printf 'speed,wind,x\n7,0.5,1\n' >clash.csv
expect 0 '^wind,x,speed,tilt,predicted' "$fcps" retarget straight.fcps clash.csv
printf 'wind,x\n0.5,1\n\n0.5,nan\n' >notfinite.csv
expect 2 'notfinite.csv:4: target.x' "$fcps" retarget straight.fcps notfinite.csv
printf 'wind,x\n0.5,1\n1e200,1\n' >notfinite.csv
expect 2 'notfinite.csv:3: environment.wind' "$fcps" retarget straight.fcps notfinite.csv
printf 'x\n1\n' >incomplete.csv
expect 2 "no column 'wind'" "$fcps" retarget straight.fcps incomplete.csv
"$fcps" study best straight.fcps --target x=2 --environment wind=0 >best
"$fcps" policy export straight.fcps -o throw.policy
expect 0 'parameters' "$fcps" policy query throw.policy --target x=2 --environment wind=0
cmp -s out best || complain 'the policy file answers otherwise than the study'
! "$fcps" study best straight.fcps --target x=2 --environment wind=0 2>&1 | grep -q W_NO_RESULTS ||
  complain 'an answer from results is called a guess'
expect 2 'not a policy file\|not JSON' "$fcps" policy query throw.yaml --target x=2 --environment wind=0

# learners without a model give parameters, and predict no reward
sed 's/^learner.*/learner: c-reps/' throw.yaml >blind.yaml
expect 2 'until_converged: learner c-reps predicts no reward' \
  "$fcps" run blind.yaml --store blind.fcps --episodes 12 --until-converged --quiet
expect 0 '^rollouts  *0 results' "$fcps" study status blind.fcps
"$fcps" run blind.yaml --store blind.fcps --episodes 12 --quiet >out
expect 0 'learner c-reps predicts no reward' "$fcps" study status blind.fcps --map map.csv
! grep -q 'enough\|predicted reward' out || complain "a prediction without a model: $(cat out)"
[ "$(grep -c ',,,,$' map.csv)" -eq 24 ] || complain 'the map has predictions without a model'
expect 2 'figure: learner c-reps predicts no reward' "$fcps" study status blind.fcps --figure blind.svg
expect 0 '"predicted_reward":null,.*"worst_target":null,.*"gain":null,"converged":false' \
  "$fcps" study status blind.fcps --json
expect 0 'learner c-reps predicts no reward' "$fcps" retarget blind.fcps contexts.csv
[ "$(grep -c ',,$' out)" -eq 2 ] || complain "retarget has predictions without a model: $(cat out)"

# second thoughts, and old logs
expect 0 'amended' "$fcps" study amend straight.fcps --reward '-2*distance'
sed 's/^reward.*/reward: -2*distance/' throw.yaml >edited.yaml
for file in throw.yaml edited.yaml; do
  "$fcps" run $file --store straight.fcps --episodes 12 --quiet >out 2>&1 || complain "$file was refused: $(cat out)"
done
expect 2 'did you mean .distance' "$fcps" study amend straight.fcps --reward '-2*distanc'
expect 0 '^reward: present ? -distance - 0.05\*speed^2 : -9 -> -2\*distance$' "$fcps" study log straight.fcps
expect 0 'amended' "$fcps" study amend straight.fcps --reward '-3*distance'
expect 0 '^reward: -2\*distance -> -3\*distance$' "$fcps" study log straight.fcps
expect 0 'amended' "$fcps" study amend throw.fcps --use 1.2
expect 0 'amended' "$fcps" study amend throw.fcps --bounds speed=0,2
expect 0 '^bounds.speed: 0,3 -> 0,2$' "$fcps" study log throw.fcps
expect 2 'bounds.sped' "$fcps" study amend throw.fcps --bounds sped=0,2
expect 0 'amended' "$fcps" study amend throw.fcps --drop 1.2
expect 2 'E_CONFLICT.*taken out.*--use 1.2' "$fcps" study tell throw.fcps 1 --outcome land=2.6
expect 0 'stored result of ask 1' "$fcps" study tell throw.fcps 1 --outcome land=2.7
unasked --outcome land=1e12 --key typo >out
number=$("$fcps" study log throw.fcps --json | sed -n 's/.*"result":\([0-9]*\).*"key":"typo".*/\1/p')
expect 0 'amended' "$fcps" study amend throw.fcps --drop "$number"
expect 0 "unasked $number  ok (not used)" "$fcps" study log throw.fcps
expect 0 'amended' "$fcps" study amend throw.fcps --use "$number"
expect 2 'is not a result' "$fcps" study amend throw.fcps --drop all
expect 2 'no result 1.9' "$fcps" study amend throw.fcps --drop 1.9
expect 2 'no result 1;' "$fcps" study amend throw.fcps --drop 1
"$fcps" study new lost.fcps --problem throw.yaml >out
"$fcps" study ask lost.fcps --target x=3 --environment wind=0 >out
expect 0 'W_ENVIRONMENT_NOT_FINITE' "$fcps" study tell lost.fcps 1 --outcome land=2 --environment wind=nan
expect 0 'not finite .*1.1 (the measured environment is not finite)' "$fcps" study status lost.fcps
"$fcps" study export lost.fcps >lost.csv
"$fcps" study new copy.fcps --problem throw.yaml >out
expect 0 'imported 0 results, skipped 1' "$fcps" study import copy.fcps lost.csv
expect 0 'imported 12 results' "$fcps" study import copy.fcps straight.csv
expect 0 'imported 0 results, skipped 12' "$fcps" study import copy.fcps straight.csv
expect 0 '12 results: 12 with an outcome, 0 without, 0 failed' "$fcps" study status copy.fcps
expect 0 'saved' "$fcps" study repair copy.fcps --to saved.fcps
expect 0 '12 results: 12 with an outcome, 0 without, 0 failed' "$fcps" study status saved.fcps
dd if=/dev/zero of=copy.fcps bs=512 seek=1 count=20 conv=notrunc 2>/dev/null
expect 3 'repair' "$fcps" study status copy.fcps

# repair saves a study, or says what is lost; a file without its end is read as far as possible
whole=$(wc -c <straight.fcps)
head -c $((whole - 4090)) straight.fcps >cut.fcps
expect 3 'repair cut.fcps' "$fcps" study status cut.fcps
expect 0 'saved' "$fcps" study repair cut.fcps --to from-cut.fcps
expect 0 'rollouts *[0-9]' "$fcps" study status from-cut.fcps
whole=$(wc -c <saved.fcps)
head -c $((whole - 4096)) saved.fcps >short.fcps
expect 3 'repair short.fcps' "$fcps" study status short.fcps
got=0
"$fcps" study repair short.fcps --to from-short.fcps >out 2>err || got=$?
opens=0
"$fcps" study status from-short.fcps >status 2>&1 || opens=$?
[ $got -eq $opens ] || complain "repair ends with $got, opening what it made with $opens: $(cat out err status)"
! grep -q 'study repair' err || complain 'a repair that fails advises a repair'
python3 - <<'PYTHON'
import shutil, sqlite3
shutil.copy("saved.fcps", "forgetful.fcps")
study = sqlite3.connect("forgetful.fcps")
study.execute("DELETE FROM texts WHERE key = 'learner'")
study.commit()
PYTHON
expect 3 "records of forgetful.fcps were saved in .* of from-forgetful.fcps.*no 'learner'" \
  "$fcps" study repair forgetful.fcps --to from-forgetful.fcps
[ -e from-forgetful.fcps ] || complain 'the records that could be read are not there'
printf 'no study at all' >text
expect 3 'nothing of text can be read' "$fcps" study repair text --to from-text.fcps
[ ! -e from-text.fcps ] || complain 'a repair of nothing left a file'
expect 4 'cannot read nope.fcps' "$fcps" study repair nope.fcps --to from-nope.fcps
! grep -q 'NOT stored' err || complain 'a command that reads speaks of storing'

# a study by its URL; a name that only looks like one is a path
expect 0 '^made sqlite:by-url.fcps' "$fcps" study new sqlite:by-url.fcps --problem throw.yaml --learner random
expect 0 'ask 1' "$fcps" study ask by-url.fcps --target x=1 --environment wind=0
expect 0 '1 ask unfinished' "$fcps" study status sqlite:by-url.fcps
expect 4 'sqlite:by-url.fcps exists already' "$fcps" study new sqlite:by-url.fcps --problem throw.yaml
expect 0 '^made a:b.fcps' "$fcps" study new a:b.fcps --problem throw.yaml --learner random
[ -e a:b.fcps ] || complain 'a path with a colon was not taken for a path'
expect 2 'no store "mysql:".*sqlite:PATH, memory:' "$fcps" study status mysql://host/db
expect 2 'would end with this command; give the path of a file' "$fcps" study new memory: --problem throw.yaml
expect 2 'memory: cannot be opened' "$fcps" study status memory:
expect 2 'such a store is written memory:' "$fcps" study new memory:x --problem throw.yaml
expect 0 '"episode":3' "$fcps" run throw.yaml --episodes 3 --store memory: --seed 4 --quiet --json
expect 0 '' "$fcps" run throw.yaml --episodes 12 --store sqlite:straight-url.fcps --seed 4 --quiet
"$fcps" study export straight-url.fcps | cmp - straight.csv || complain 'a run with a URL is not the run with a path'
expect 0 'records of sqlite:by-url.fcps in from-url.fcps' "$fcps" study repair sqlite:by-url.fcps --to from-url.fcps

# workers that have ended are summed up; those whose trials failed are named, the worst first
"$fcps" study new workers.fcps --problem throw.yaml --learner random >out
for trial in arm-1/1:0.1 arm-2/1:0.2 arm-2/2:0.3 arm-3/1:0.4; do
  "$fcps" study tell workers.fcps --target x=1 --environment wind=0 --executed speed=1,tilt=${trial#*:} --client "${trial%:*}" --failed slipped >out
done
"$fcps" study tell workers.fcps --target x=1 --environment wind=0 --executed speed=2,tilt=0.7 --client arm-4/1 --outcome land=1 >out
expect 0 '0 with unfinished trials; 4 others told 5 results, 4 failed' "$fcps" study status workers.fcps
[ "$(sed -n 's/^  \(arm-[0-9]*\) *\([0-9]\) results*, \([0-9]\) failed.*/\1:\2:\3/p' out | tr '\n' ' ')" = 'arm-2:2:2 arm-1:1:1 arm-3:1:1 ' ] ||
  complain "the failures of workers: $(cat out)"

# a full device is noticed
if [ -e /dev/full ]; then
  got=0
  "$fcps" study export straight.fcps -o /dev/full >out 2>err || got=$?
  [ $got -eq 4 ] || complain "export to a full device: exit code $got"
fi
exit $failed
