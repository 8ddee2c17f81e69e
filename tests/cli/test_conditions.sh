# SPDX-License-Identifier: Apache-2.0
# Parameters that apply under a condition, at every door of the program: one that does not apply is neither asked for, nor
# shown, nor accepted.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

cat >part.yaml <<'YAML'
name: part
environment: {stock: [steel, brass]}
parameters:
  tool: [mill, drill, laser]
  speed: {range: [1, 10], scale: log}
  coolant: {choices: [none, mist, flood], when: tool == mill}
  flow: {range: [0, 5], unit: l/min, when: coolant != none}
  power: {range: [1, 4], scale: integer, when: tool == laser && stock == steel}
outcome: [rough]
reward: -rough
run: {command: [python3, make.py], timeout_s: 20}
YAML
cat >make.py <<'PY'
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    p, stock = asked["parameters"], asked["environment"]["stock"]
    assert ("coolant" in p) == (p["tool"] == "mill"), line
    assert ("flow" in p) == (p.get("coolant", "none") != "none"), line
    assert ("power" in p) == (p["tool"] == "laser" and stock == "steel"), line
    rough = {"mill": 0.4, "drill": 0.6, "laser": 0.5}[p["tool"]] + (p["speed"] - 3)**2 / 40
    if "flow" in p: rough += (p["flow"] - 2)**2 / 20 - 0.2
    if "power" in p: rough += abs(p["power"] - 3) / 10 - 0.1
    print(json.dumps({"ask": asked["ask"], "outcome": {"rough": rough}}), flush=True)
PY

# -- The problem --
expect 0 'coolant        none, mist, flood, only when tool == mill$' "$fcps" check part.yaml
grep -q 'flow           0 to 5 l/min, only when coolant != none$' out || complain "no condition: $(cat out)"
sed 's/when: tool == mill/when: tool == mil/' part.yaml >slip.yaml
expect 2 'slip.yaml:6:[0-9]*: coolant.when: .*mil' "$fcps" check slip.yaml
sed 's/when: tool == mill/when: flow > 2/' part.yaml >round.yaml
expect 2 'round.yaml:7:[0-9]*: flow.when: goes round in a circle' "$fcps" check round.yaml

# -- A run, resumed as if it had not ended --
expect 0 'policy' "$fcps" run part.yaml -n 24 --store whole.fcps
expect 0 'policy' "$fcps" run part.yaml -n 11 --store parts.fcps
expect 0 'policy' "$fcps" run part.yaml -n 24 --store parts.fcps
"$fcps" study export whole.fcps >whole.csv
"$fcps" study report whole.fcps -o whole.html >out
! grep -q '<td>nan' whole.html || complain 'the report shows numbers that do not apply'
"$fcps" study export parts.fcps >parts.csv
cmp whole.csv parts.csv || complain 'a study that was resumed is another one'

# -- For a shell: empty, also if the variable had a value before --
"$fcps" study new shell.fcps --problem part.yaml >/dev/null
expect 0 'amended' "$fcps" study amend shell.fcps --constraints '[tool == drill]'
expect 0 "^flow=''$" "$fcps" study ask shell.fcps -e stock=steel --shell
(flow=3; eval "$(cat out)"; [ "$flow$coolant$power" = "" ] && [ "$tool" = drill ]) || complain "the shell read: $(cat out)"

# -- Tables: empty cells --
grep -q ',drill,[0-9.]*,,,,' whole.csv || complain "a drill has a coolant: $(cat whole.csv)"
grep -q ',mill,[0-9.]*,none,,,' whole.csv || complain "no coolant flows: $(cat whole.csv)"
"$fcps" study new again.fcps --problem part.yaml >/dev/null
expect 0 'imported 24 results' "$fcps" study import again.fcps whole.csv
"$fcps" study export again.fcps | sed 's/^[^,]*,//' >again.csv
sed 's/^[^,]*,//' whole.csv | cmp - again.csv || complain 'a table does not come back as it was'
printf 'stock,tool,speed,coolant,flow,power,rough\nsteel,drill,2,mist,,,0.5\n' >wrong.csv
expect 2 'wrong.csv:2: parameters.coolant: does not apply here: it is used only when tool == mill; leave it out' \
  "$fcps" study import again.fcps wrong.csv
printf 'stock,tool,speed,coolant,flow,power,rough\nsteel,mill,2,mist,,,0.5\n' >short.csv
expect 2 'short.csv:2: parameters.flow: is missing: it applies here, because coolant != none' \
  "$fcps" study import again.fcps short.csv
# a cell with the value at which a parameter rests changes nothing: it is the same trial
printf 'stock,tool,speed,coolant,flow,power,rough\nsteel,drill,2,,,,0.5\n' >empty.csv
printf 'stock,tool,speed,coolant,flow,power,rough\nsteel,drill,2,none,0,1,0.5\n' >same.csv
expect 0 'imported 1 result' "$fcps" study import again.fcps empty.csv
expect 0 'imported 0 results, skipped 1' "$fcps" study import again.fcps same.csv

# a column of a parameter with a condition may be missing, and its cell must be empty if the parameter does not apply
printf 'stock,tool,speed,rough\nsteel,drill,2.5,0.5\n' >narrow.csv
expect 0 'imported 1 result' "$fcps" study import again.fcps narrow.csv
printf 'stock,tool,speed,rough\nsteel,mill,2.5,0.5\n' >narrow.csv
expect 2 'narrow.csv:2: parameters.coolant: is missing: it applies here' "$fcps" study import again.fcps narrow.csv
printf 'stock,tool,rough\nsteel,mill,0.5\n' >narrow.csv
expect 2 "there is no column 'speed'; each" "$fcps" study import again.fcps narrow.csv
for cells in 'n/a,,' ',n/a,'; do
  printf 'stock,tool,speed,coolant,flow,power,rough\nsteel,drill,2,%s,0.5\n' "$cells" >dashes.csv
  expect 2 'n/a.*; in a trial to which this parameter does not apply, the cell must be empty$' "$fcps" study import again.fcps dashes.csv
done

# -- The file of a study says another condition, or what the study had before it was amended --
sed 's/when: tool == mill/when: tool != laser/' part.yaml >other.yaml
expect 2 'parameters.coolant: applies when tool == mill in the study, and when tool != laser in the file: a study keeps its conditions' \
  "$fcps" run other.yaml -n 25 --store whole.fcps
! grep -q amend err || complain "a condition cannot be amended: $(cat err)"
sed 's/, when: tool == mill//' part.yaml >other.yaml
expect 2 'parameters.coolant: applies when tool == mill in the study, and always in the file' "$fcps" run other.yaml -n 25 --store whole.fcps
cat >rules.yaml <<'YAML'
name: rules
parameters: {a: [0, 1]}
outcome: [heat]
reward: a
constraints: [a <= 0.9]
limits: {heat: {at_most: 5}}
safe: [{a: 0.1}]
cost: 1 + a
run: {command: [python3, heat.py], timeout_s: 20}
YAML
cat >heat.py <<'PY'
import json, sys
for line in sys.stdin:
    print(json.dumps({"ask": json.loads(line)["ask"], "outcome": {"heat": 1}}), flush=True)
PY
expect 0 . "$fcps" run rules.yaml -n 2 --no-figure
! grep -q DIFFER err || complain "equal rules are called others: $(cat err)"
expect 0 amended "$fcps" study amend rules.fcps --constraints '[a <= 0.8]'
expect 0 amended "$fcps" study amend rules.fcps --limits '{heat: {at_most: 4}}'
expect 0 amended "$fcps" study amend rules.fcps --safe '[{a: 0.2}]'
expect 0 amended "$fcps" study amend rules.fcps --cost '2 + a'
for rule in CONSTRAINTS_DIFFER LIMITS_DIFFER SAFE_DIFFERS COST_DIFFERS; do
  expect 0 "W_$rule: the study goes on with its own " "$fcps" run rules.yaml -n 3 --no-figure
  sed -n "s/.*W_$rule.*To change the study: fcps/\"\$fcps\"/p" err >typed
  expect 0 amended sh -e -c "fcps=$fcps; . ./typed"
done
expect 0 . "$fcps" run rules.yaml -n 4 --no-figure
! grep -q DIFFER err || complain "equal rules are called others: $(cat err)"

# -- Asks, results, answers --
"$fcps" study new s.fcps --problem part.yaml --seed 5 >/dev/null
i=0
while [ $i -lt 9 ]; do
  i=$((i + 1))
  "$fcps" study ask s.fcps --environment stock=steel --json >ask
  python3 - ask <<'PY' || complain "an ask names what does not apply: $(cat ask)"
import json, sys
p = json.load(open(sys.argv[1]))["parameters"]
assert ("coolant" in p) == (p["tool"] == "mill") and ("power" in p) == (p["tool"] == "laser")
PY
  "$fcps" study tell s.fcps $i --outcome rough=0.$i >/dev/null
done
expect 0 'parameters   tool=' "$fcps" study ask s.fcps --environment stock=brass
expect 2 'does not apply here' "$fcps" study tell s.fcps 10 --executed tool=drill,speed=2,flow=1 --outcome rough=0.5
expect 2 'power: is missing' "$fcps" study tell s.fcps 10 --environment stock=steel --executed tool=laser --outcome rough=0.5
expect 0 'stored result' "$fcps" study tell s.fcps 10 --executed tool=drill,speed=2 --outcome rough=0.5
expect 0 'parameters tool=drill  speed=2$' "$fcps" study log s.fcps
expect 0 '"parameters":{"tool":"drill","speed":2.0}' "$fcps" study log s.fcps --json
expect 0 'parameters' "$fcps" study best whole.fcps --environment stock=steel
expect 0 'best parameters' "$fcps" study explain whole.fcps
! grep -q ' to -\| - to' out || complain "a number is shown where there is none: $(cat out)"
if command -v gnuplot >/dev/null; then
  # some parameters apply nowhere on a line
  expect 0 'best parameters' "$fcps" study explain whole.fcps --figure lines.svg
  expect 2 'best parameters' env PATH=/nowhere "$fcps" study explain whole.fcps --figure lines.svg
fi
printf 'stock\nsteel\nbrass\n' >contexts.csv
expect 0 'stock,tool,speed,coolant,flow,power' "$fcps" retarget whole.fcps contexts.csv
grep -q '^brass,[a-z]*,[0-9.]*,[a-z]*,[0-9.]*,,' out || complain "brass has a power: $(cat out)"

# -- One more word, and the policy in a file --
expect 0 'amended' "$fcps" study amend whole.fcps --add-choice tool=saw
expect 0 'tool' "$fcps" study best whole.fcps --environment stock=steel --json
# with other bounds parameters rest at other values, in old results too
expect 0 'amended' "$fcps" study amend again.fcps --bounds flow=1,6
"$fcps" study status again.fcps >out 2>&1
! grep -q 'flow.*lies outside\|flow: .* outside' out || complain "what rests is outside its bounds: $(cat out)"
"$fcps" study export again.fcps | sed 's/^[^,]*,//' | head -25 | cmp - again.csv || complain 'what rests is shown after an amendment'
expect 0 'tool' "$fcps" study best again.fcps --environment stock=steel --json
"$fcps" policy export s.fcps -o s.policy >/dev/null 2>&1
"$fcps" policy query s.policy --environment stock=steel --json >from_policy
"$fcps" study best s.fcps --environment stock=steel --json >from_study
python3 - <<'PY' || complain "a saved policy answers otherwise: $(cat from_policy from_study)"
import json
a, b = (json.load(open(name)) for name in ("from_policy", "from_study"))
assert (a.get("answers") or [a])[0]["parameters"] == (b.get("answers") or [b])[0]["parameters"], (a, b)
PY

# -- "Enough" waits for words where they apply, not where they rest --
sed 's/tool: .*/tool: [mill, drill]/; /power/d; /run/d' part.yaml >two.yaml
"$fcps" study new two.fcps --problem two.yaml >/dev/null
printf 'stock,tool,speed,coolant,flow,rough\n' >two.csv
for n in 1 2 3 4 5 6; do for s in steel brass; do
  printf '%s,drill,%s,,,0.%s\n%s,mill,%s,mist,1,0.3%s\n%s,mill,%s,flood,2,0.2%s\n' $s $n $n $s $n $n $s $n $n >>two.csv
done; done
expect 0 'imported 36' "$fcps" study import two.fcps two.csv
expect 0 'coolant=none never had a result' "$fcps" study status two.fcps

# -- A server and an assistant: the same --
cat >lines <<'END'
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"sh","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{"environment":{"stock":"brass"}}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"tell","arguments":{"ask":11,"executed":{"tool":"drill","power":2},"outcome":{"rough":0.25}}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"tell","arguments":{"ask":11,"executed":{"tool":"drill","speed":3},"outcome":{"rough":0.25}}}}
END
session() { "$fcps" mcp "$@" <lines; }
expect 0 'power: does not apply here' session s.fcps --may tell
[ "$(grep -c does.not.apply out)" -eq 1 ] || complain "not one refusal: $(cat out)"
! grep -q '"parameters":{[^}]*power' out || complain "an assistant is asked for a power: $(cat out)"
need_serve
export FCPS_TOKEN_FILE="$folder/token" XDG_STATE_HOME="$folder/own"
"$fcps" serve s.fcps >url &
server=$!
trap 'kill $server 2>/dev/null || :; rm -rf "$folder"' EXIT
tries=0
while [ ! -s url ] && [ $tries -lt 200 ]; do sleep 0.2; tries=$((tries + 1)); done
base=$(sed 's|/#.*||' url)
"$fcps" study ask "$base/s" --environment stock=brass --json >ask || complain "no ask from $base: $(cat url)"
! grep -q '"parameters":{[^}]*power' ask || complain "a served ask has a power: $(cat ask)"
expect 2 'power: does not apply here' "$fcps" study tell "$base/s" 12 --executed power=2 --outcome rough=0.4
expect 0 'stored result' "$fcps" study tell "$base/s" 12 --outcome rough=0.4
kill $server
exit $failed
