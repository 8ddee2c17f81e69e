# SPDX-License-Identifier: Apache-2.0
# A bug of a program is not a trial. Nothing is stored before the first usable answer, and the message shows what was received
# and what to do. Later, a run stops at the second unreadable answer of one kind.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
unset PYTHONUNBUFFERED || true

# problem PROGRAM [SECONDS]: a problem file whose program is this one
problem() {
  cat >bug.yaml <<END
name: bug
target: {want: [0, 1]}
parameters: {speed: [0, 2], turn: [0, 1]}
outcome: [reach, depth]
reward: -abs(reach-want)
run: {command: [$1], timeout_s: ${2:-30}}
END
}

# program NAME ANSWER: a program in Python whose answer is this object, over trial, its parameters p and a good outcome
program() {
  cat >"$1.py" <<END
import json, sys
for line in sys.stdin:
    trial = json.loads(line)
    ask, p = trial["ask"], trial["parameters"]
    good = {"reach": p["speed"], "depth": 1}
    print(json.dumps($2))
END
  problem "python3, $1.py"
}

# none WORDS: a new run ends with exit code 6, says this, and stores nothing but its ask
none() {
  rm -f none.fcps
  expect 6 "$1" "$fcps" run bug.yaml --episodes 6 --store none.fcps --quiet
  grep -q 'Nothing is stored for ask 1' err || complain "not said that nothing is stored: $(cat err)"
  [ "$(grep -c '^fcps: ' err)" -eq 1 ] || complain "one message is wanted: $(cat err)"
  "$fcps" study status none.fcps | grep -q ' 0 results' || complain "$1: something is stored"
}

# -- before the first answer that can be used --

program misspelt '{"ask": ask, "outcome": {"reach": 1, "depht": 2}}'
none 'has no number "depth"; it has "depht": misspelt?'
grep -q 'received: {"ask": 1, "outcome": {"reach": 1, "depht": 2}}' err || complain "what was received is not shown: $(cat err)"

program text '{"ask": ask, "outcome": {"reach": "3.2", "depth": 2}}'
none '"reach" is the text "3.2": write the number without quotes'

program list '{"ask": ask, "outcome": [1, 2]}'
none '"outcome" is not an object: write {"reach": NUMBER, "depth": NUMBER}'
grep -q 'received: {"ask": 1, "outcome": \[1, 2\]}' err || complain "what was received is not shown: $(cat err)"

program key '{"ask": ask, "outcom": good}'
none 'neither "outcome" nor "failed"; it has "outcom": misspelt?'

sed 's/print(json.dumps(.*))/print(json.dumps({"ask": ask, "outcome": good}, indent=2))/' key.py >pretty.py
problem 'python3, pretty.py'
none 'the answer is not JSON, or only its beginning: an answer is one line'

sed "s/print(json.dumps(.*))/print('{\"ask\": %d, \"outcome\": {\"reach\": 1, \"depth\": 1, \"reach\": 2}}' % ask)/" key.py >twice.py
problem 'python3, twice.py'
none 'the answer has one key twice: .*reach'
sed "s/print(json.dumps(.*))/print('{\"ask\": %d, \"outcome\": {\"reach\": %s, \"depth\": 1}}' % (ask, '9' * 400))/" key.py >long.py
problem 'python3, long.py'
none 'the answer has a number that is too large'

program unnamed '{"outcome": good}'
none 'needs "ask": 1'

# silence: the usual cause is named
cat >silent.c <<'END'
#include <stdio.h>
int main(void)
{
  char line[4096];
  while (fgets(line, sizeof line, stdin) != NULL)
    printf("{\"ask\": 1, \"outcome\": {\"reach\": 1, \"depth\": 1}}\n");
}
END
$CC -o silent silent.c
problem ./silent 1
none 'no answer in time, and it has printed nothing (1 s.*fflush(stdout)'
grep -q 'timeout_s' err || complain "not said how to give it more time: $(cat err)"

# a program that has printed lines does not buffer: the message shows its last line, and what a line must be
sed 's/print(json.dumps(.*))/print("[1.25, 2]")/' key.py >bare.py
problem 'python3, bare.py' 1
none 'no answer in time .*; last output: \[1.25, 2\]\..* An answer is one line of JSON that begins with {'
! grep -q flush err || complain "told to flush what has arrived: $(cat err)"
sed 's/print(json.dumps(.*))/print("thinking", file=sys.stderr)/' key.py >thinking.py
problem 'python3, thinking.py' 1
none 'last output: thinking.*fflush(stdout)'

# Python's buffering is switched off
program buffered '{"ask": ask, "outcome": good}'
expect 0 '3 results: 3 with an outcome' "$fcps" run bug.yaml --episodes 3 --store buffered.fcps

# -- afterwards: one is a failed trial, the second like it ends the run --

program later '{"ask": ask, "outcome": good if ask < 3 else {"reach": 1, "depht": 2}}'
expect 6 'the second answer like that of ask 3' "$fcps" run bug.yaml --episodes 9 --store later.fcps
grep -q 'Nothing is stored for ask 4' err || complain "the second one is not left to the next run: $(cat err)"
grep -q 'amend later.fcps --drop 3.1' err || complain "not said how to take the first one out: $(cat err)"
expect 0 '3 results: 2 with an outcome, 0 without, 1 failed' "$fcps" study status later.fcps
# after a repair, the run continues with the same ask
program later '{"ask": ask, "outcome": good}'
expect 0 '6 results: 5 with an outcome, 0 without, 1 failed' "$fcps" run bug.yaml --episodes 6 --store later.fcps

# two answers that are wrong in different ways are two mistakes, and each is a failed trial
program mixed '{"ask": ask, "outcome": {3: {"reach": 1}, 5: {"reach": "x", "depth": 1}}.get(ask, good)}'
expect 0 '9 results: 7 with an outcome, 0 without, 2 failed' "$fcps" run bug.yaml --episodes 9 --store mixed.fcps

# a failure that the program reports is a trial, also the first
program reports '{"ask": ask, "failed": "slipped"}'
expect 7 'E_FAILURE_RATE' "$fcps" run bug.yaml --episodes 9 --store reports.fcps
expect 0 '5 results: 0 with an outcome, 0 without, 5 failed' "$fcps" study status reports.fcps

# what was executed may be a part of the parameters: the others were as asked
program partly '{"ask": ask, "outcome": good, "executed": {"turn": 0.25}}'
expect 0 '2 results: 2 with an outcome' "$fcps" run bug.yaml --episodes 2 --store partly.fcps
expect 0 '"parameters":{"speed":[0-9.]*,"turn":0.25}' "$fcps" study log partly.fcps --json

# a program that does one trial and ends hears how to say so
cat >single.py <<'END'
import json, sys
ask = json.loads(sys.stdin.readline())
print(json.dumps({"ask": ask["ask"], "outcome": {"land_x": ask["parameters"]["speed"], "land_y": 1.0}}), flush=True)
sys.stdin.readline()
END
sed 's/simulate.py/single.py/' "$FCPS_SOURCE_DIR"/examples/simulator/throw.yaml >single.yaml
expect 0 'ask 2: .* one trial and ends, add `mode: once`' "$fcps" run single.yaml -n 2 --no-figure
grep -q 'W_PROGRAM_FAILED: 1 trial failed .* fcps study amend single.fcps --drop 2.1$' err || complain "not said how to take it out: $(cat err)"
expect 0 'W_TRIAL_FAILED' "$fcps" check single.yaml
# the second time it is not a trial any more
expect 6 'This is the second end like that of ask 2.*Nothing is stored for ask 4.*mode: once.*amend single4.fcps --drop 2.1' \
  "$fcps" run single.yaml -n 7 --no-figure --store single4.fcps
# a program that breaks once: the run goes on, and its end says how to take the result out
program breaks '{"ask": ask, "outcome": good if ask != 3 else 1 / 0}'
expect 0 'W_PROGRAM_FAILED: 1 trial failed because the program ended.*fcps study amend breaks.fcps --drop 3.1$' \
  "$fcps" run bug.yaml --episodes 5 --store breaks.fcps --quiet --no-figure
expect 0 '5 results: 4 with' "$fcps" study status breaks.fcps
# a failure that a program reports itself is not a bug
program reports '{"ask": ask, "outcome": good} if ask != 3 else {"ask": ask, "failed": "slipped"}'
"$fcps" run bug.yaml --episodes 5 --store reported.fcps --quiet --no-figure >out 2>err
! grep -q W_PROGRAM_FAILED err || complain "a reported failure is called a bug: $(cat err)"

exit $failed
