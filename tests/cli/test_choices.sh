# SPDX-License-Identifier: Apache-2.0
# Words at every door of the program: files, options, tables, lines of JSON, the shell, programs; and the answers to unknown
# words.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

cat >mould.yaml <<'YAML'
name: mould
environment:
  bean: {choices: {kenya: {acid: 5}, brazil: {acid: 2}}}
  robot: {choices: [a, b, c], alike: true}
parameters:
  gate: [tab, pin, two words]
  level: {choices: [low, mid, high], ordered: true}
  speed: {range: [0, 10], unit: m/s}
outcome: [y]
reward: "-abs(y - 3) - (gate == 'two words')"
constraints: [gate != tab, "speed <= (gate == pin ? 8 : 4)"]
run: {command: [python3, trial.py], timeout_s: 20}
YAML
cat >trial.py <<'PY'
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    p, e = asked["parameters"], asked["environment"]
    assert p["gate"] in ("pin", "two words") and p["level"] in ("low", "mid", "high") and e["robot"] in "abc", line
    y = p["speed"] + {"pin": 1, "two words": -2}[p["gate"]] + (e["bean"] == "kenya")
    print(json.dumps({"ask": asked["ask"], "outcome": {"y": y}}), flush=True)
PY

expect 0 'bean           kenya, brazil, with known acid' "$fcps" check mould.yaml
grep -q 'robot          a, b, c, of one kind' out || complain "no alike: $(cat out)"
grep -q 'level          low, mid, high, in this order' out || complain "no order: $(cat out)"
expect 0 'made s.fcps' "$fcps" study new s.fcps --problem mould.yaml

# asks, and the answers to other words
expect 0 'environment  bean=kenya  robot=b' "$fcps" study ask s.fcps --environment bean=kenya,robot=b
expect 2 '"kenia" is not a word of bean; did you mean kenya?' "$fcps" study ask s.fcps -e bean=kenia,robot=b
expect 2 'study amend .* --add-choice bean=WORD' "$fcps" study ask s.fcps -e bean=kenia,robot=b
expect 2 'robot is missing' "$fcps" study ask s.fcps -e bean=kenya
expect 0 '"gate":"\(pin\|two words\)"' "$fcps" study ask s.fcps -e bean=brazil,robot=c --json
expect 0 "^gate='*\(pin\|two words\)'*$" "$fcps" study ask s.fcps -e bean=brazil,robot=a --client sh --shell
(eval "$(cat out)"; [ "$bean" = brazil ] && [ "$robot" = a ]) || complain "the shell read: $(cat out)"

# results, as they were done
expect 0 'reward -1' "$fcps" study tell s.fcps 1 --outcome y=4 --executed gate=pin,level=low,speed=3
expect 2 '"pni" is not a word of gate; did you mean pin?' "$fcps" study tell s.fcps 2 --outcome y=4 --executed gate=pni,level=low,speed=3
expect 0 'reward -2' "$fcps" study tell s.fcps 2 --outcome y=4 --executed 'gate=two words,level=high,speed=3'
expect 0 'gate=two words  level=high  speed=3' "$fcps" study log s.fcps

# tables come back, and a mistyped cell is named
"$fcps" study export s.fcps -o t.csv >/dev/null
grep -q ',brazil,c,two words,high,3,4,' t.csv || complain "the table: $(cat t.csv)"
sed 's/brazil/brasil/' t.csv >wrong.csv
"$fcps" study new u.fcps --problem mould.yaml >/dev/null
expect 2 'wrong.csv:3: bean: "brasil" is not a word of bean; did you mean brazil?' "$fcps" study import u.fcps wrong.csv
expect 0 'imported 2' "$fcps" study import u.fcps t.csv
"$fcps" study export u.fcps -o again.csv >/dev/null
[ "$(cut -d, -f3- t.csv)" = "$(cut -d, -f3- again.csv)" ] || complain "the table changed: $(cat again.csv)"

# a program gets words, and policies answer with them
expect 0 '12 results' "$fcps" run mould.yaml --store s.fcps --episodes 10
expect 0 'parameters   gate=\(pin\|two words\)  level=' "$fcps" study best s.fcps -e bean=kenya,robot=c
printf 'bean,robot\nkenya,a\nbrazil,b\n' >contexts.csv
expect 0 '^brazil,b,\(pin\|two words\),' "$fcps" study retarget s.fcps --contexts contexts.csv --format csv
printf 'bean,robot\nkenya,d\n' >contexts.csv
expect 2 'contexts.csv:2: robot: "d" is not a word of robot' "$fcps" study retarget s.fcps --contexts contexts.csv
expect 0 'over bean (across) and robot (up)' "$fcps" study status s.fcps
expect 0 '"choices":\["a","b","c"\],"alike":true' "$fcps" study problem s.fcps --json
"$fcps" policy export s.fcps -o p.policy >/dev/null
expect 0 'parameters   gate=\(pin\|two words\)  level=' "$fcps" policy query p.policy --environment bean=kenya,robot=c
expect 2 '"kenia" is not a word of bean; did you mean kenya?' "$fcps" policy query p.policy --environment bean=kenia,robot=c

# one more word: results stay, and the file may have it too
expect 0 'amended s.fcps; 12 stored results' "$fcps" study amend s.fcps --add-choice robot=d
expect 0 'the word was there already in s.fcps; 12 stored results' "$fcps" study amend s.fcps --add-choice robot=d
expect 0 'choices.robot: a, b, c -> d' "$fcps" study log s.fcps
[ "$(grep -c 'choices.robot' out)" = 1 ] || complain "the word was added twice: $(cat out)"
expect 2 "needs what is known of the other words" "$fcps" study amend s.fcps --add-choice bean=rwanda
expect 0 'amended' "$fcps" study amend s.fcps --add-choice 'bean={rwanda: {acid: 3}}'
expect 2 'chooses among words, which have no bounds' "$fcps" study amend s.fcps --bounds gate=0,1
expect 0 'robot=d' "$fcps" study best s.fcps -e bean=rwanda,robot=d
expect 0 '14 results' "$fcps" run mould.yaml --store s.fcps --episodes 12
sed 's/\[a, b, c\]/[a, b, c, d, e]/; s/acid: 2}/acid: 2}, rwanda: {acid: 3}/' mould.yaml >more.yaml
expect 2 'has the word "e", which the study lacks.*--add-choice robot=e' "$fcps" run more.yaml --store s.fcps --episodes 13
sed 's/\[a, b, c\]/[a, c, b]/' mould.yaml >other.yaml
expect 2 'the same words in another order, which no study can change' "$fcps" run other.yaml --store u.fcps --episodes 3
sed 's/\[a, b, c\]/[a, b, z]/' mould.yaml >other.yaml
expect 2 'the file has other words, which no study can change' "$fcps" run other.yaml --store u.fcps --episodes 3
sed 's/, alike: true//' mould.yaml >other.yaml
expect 2 'words that are not alike, which no study can change' "$fcps" run other.yaml --store u.fcps --episodes 3
sed 's/alike: true/ordered: true/' mould.yaml >other.yaml
expect 2 'the file has ordered words, which no study can change' "$fcps" run other.yaml --store u.fcps --episodes 3

# an added word cannot be removed: one that nearly equals another needs confirmation, and a trial with it names the nearest
# word
for slip in gate=Pin level=hgh 'bean={Kenya: {acid: 3}}' 'bean={kenia: {acid: 3}}'; do
  expect 2 "--add-choice: .* did you mean .*, which is there? .*--force" "$fcps" study amend s.fcps --add-choice "$slip"
done
expect 0 'amended' "$fcps" study amend u.fcps --add-choice gate=Pin --force
expect 2 '"robot" is not NAME=WORD, as in --add-choice gate=ring' "$fcps" study amend s.fcps --add-choice robot
expect 2 'robot is missing; --environment needs one of the words: a, b, c, d' "$fcps" study ask s.fcps -e bean=kenya
expect 0 'robot=a' "$fcps" study ask u.fcps -e bean=kenya,robot=a
expect 2 '"pni" is not a word of gate; did you mean pin? .* study amend u.fcps --add-choice gate=WORD' \
  "$fcps" study tell u.fcps 1 --outcome y=4 --executed gate=pni
expect 2 '"kenia" is not a word of bean; did you mean kenya?' "$fcps" study tell u.fcps 1 --outcome y=4 --environment bean=kenia

# files: what looks like a range, and a key that is mistyped
sed 's/\[tab, pin, two words\]/[1, pin, two words]/' mould.yaml >number.yaml
expect 2 'parameters.gate: expected two numbers, .* write {choices: \[WORD, ...\]}' "$fcps" check number.yaml
sed 's/choices: \[a, b, c\]/chioces: [a, b, c]/' mould.yaml >key.yaml
expect 2 'did you mean choices?' "$fcps" check key.yaml

# learners that move numbers
expect 2 'c-reps would treat words as evenly spaced numbers' "$fcps" study new v.fcps --problem mould.yaml --learner c-reps
# docs/words.md, typed from top to bottom
awk '/^```/ { if (open) { open = 0; close(file) } else { open = 1; file = sprintf("%02d.sh", ++n) }; next }
     open { print >file }' "$FCPS_SOURCE_DIR/docs/words.md"
PATH=$FCPS_BINARY_DIR:$PATH
for block in [0-9][0-9].sh; do
  sh -e "$block" >out 2>err || complain "docs/words.md: $(cat "$block"): $(cat err)"
done
expect 0 'press=d' fcps study best mould.fcps -e resin=pc,press=d
# limits keep asks near known trials, so each word needs a safe entry
cat >blind.yaml <<'END'
name: blind
parameters: {gate: [tab, pin], heat: [0, 1]}
outcome: [peak]
reward: -peak
limits: {peak: {at_most: 1}}
END
expect 0 'an entry for each word' "$fcps" study new blind.fcps --problem blind.yaml
exit $failed
