# SPDX-License-Identifier: Apache-2.0
# The cost of trials at the command line: shown, summed and weighed. A budget ends a run and refuses an ask, and mistakes are
# named.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

# problem COST
problem() {
  cat >throw.yaml <<END
name: throw
target: {x: [1, 4]}
parameters: {speed: [1, 8], tilt: [0.1, 1.5]}
outcome: [land]
reward: -abs(land - x)
cost: $1
run: {command: [python3, throw.py], timeout_s: 60}
END
}
cat >throw.py <<'END'
import json, math, sys
for line in sys.stdin:
    r = json.loads(line)
    p = r["parameters"]
    print(json.dumps({"ask": r["ask"], "outcome": {"land": p["speed"] ** 2 * math.sin(2 * p["tilt"]) / 9.81}}), flush=True)
END
spent() { "$fcps" study status throw.fcps --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["cost"])'; }

# mistakes, at their place
problem 'speed - 1'
expect 2 'throw.yaml:6:7: cost: is 0 with x=2.5 speed=1' "$fcps" check throw.yaml
problem '1 + land'
expect 2 "throw.yaml:6:7: cost: 'land' is an outcome" "$fcps" study new throw.fcps --problem throw.yaml
problem '1 + fast'
expect 2 'throw.yaml:6:11: cost: ' "$fcps" check throw.yaml

# a run ends before it exceeds its budget, and says so; if it is continued, it equals a run that never stopped
problem '1 + 0.2*speed^2'
expect 0 'cost         1 + 0.2\*speed^2' "$fcps" check throw.yaml
expect 0 'W_BUDGET: the run ends, because another trial would exceed the budget: of 40 there is' "$fcps" run throw.yaml --episodes 60 --budget 40 --quiet
python3 -c "import sys; s = float(sys.argv[1]); assert 25 < s <= 40, s" "$(spent)" || complain "spent: $(spent)"
expect 0 'W_BUDGET' "$fcps" run throw.yaml --episodes 60 --budget 80 --quiet
"$fcps" study export throw.fcps >resumed.csv
expect 0 'cost               [0-9.]* so far, mean [0-9.]* a trial' "$fcps" study status throw.fcps
"$fcps" study report throw.fcps -o cost.html >out
grep -q '<th>cost</th><td>[0-9.]* so far, mean' cost.html || complain 'the report has no cost'
rm throw.fcps
expect 0 'W_BUDGET' "$fcps" run throw.yaml --episodes 60 --budget 80 --quiet
"$fcps" study export throw.fcps >whole.csv
cmp resumed.csv whole.csv || complain 'a continued run differs'
# what is enough needs no further command, and what ended otherwise keeps its options
cat >line.yaml <<'END'
parameters: {speed: [1, 8]}
outcome: [land]
reward: -abs(land - 3)
cost: 1
run: {command: [python3, line.py], timeout_s: 60}
END
sed 's/"outcome": .*}}/"outcome": {"land": 0.7 * p["speed"]}}/' throw.py >line.py
expect 0 'fcps run line.yaml --episodes 8 --budget 40 --until-converged   # goes on, to 8 episodes in all$' \
  "$fcps" run line.yaml --episodes 4 --budget 40 --until-converged --no-figure
expect 0 'going on  *enough' "$fcps" run line.yaml --episodes 40 --until-converged --no-figure
! grep -q 'fcps run' out || complain "what is enough goes on: $(cat out)"
before=$(spent)
expect 0 'fcps run throw.yaml --episodes 60 --budget 160   # goes on, until all trials have cost 160$' \
  "$fcps" run throw.yaml --episodes 60 --budget 80 --no-figure
expect 0 'W_BUDGET' "$fcps" run throw.yaml --episodes 60 --budget 80 --quiet
[ "$before" = "$(spent)" ] || complain 'a spent budget was spent again'
expect 0 'trials done' "$fcps" work throw.fcps --problem throw.yaml --budget 100 --parallel 2 --quiet
python3 -c "import sys; s = float(sys.argv[1]); assert 85 < s <= 100, s" "$(spent)" || complain "spent: $(spent)"

# asks: the cost of each, and pending ones count
expect 2 'budget: of 90 there is 0 left' "$fcps" study ask throw.fcps --target x=2 --budget 90
expect 0 '  cost         [0-9]' "$fcps" study ask throw.fcps --target x=2
expect 0 '"cost":[0-9]' "$fcps" study ask throw.fcps --target x=2 --json --client other
expect 2 'budget: of 102 there is' "$fcps" study ask throw.fcps --target x=2 --budget 102
expect 0 '"cost":[0-9]' "$fcps" study log throw.fcps --json

# the cost is changed, and taken away
expect 0 'amended throw.fcps' "$fcps" study amend throw.fcps --cost '2 + speed'
expect 0 '2 + speed' "$fcps" study log throw.fcps
expect 2 'cost: is 0' "$fcps" study amend throw.fcps --cost 'speed - 1'
problem 9
expect 2 'cost: differs from the study' "$fcps" run throw.yaml --episodes 60 --quiet
expect 0 'amended throw.fcps' "$fcps" study amend throw.fcps --cost none
expect 2 'budget: this problem does not say what a trial costs' "$fcps" study ask throw.fcps --target x=2 --client third --budget 9
"$fcps" study status throw.fcps >out
! grep -q '^cost' out || complain 'a cost is shown that was taken away'
expect 2 'is not a budget' "$fcps" run throw.yaml --budget 0
expect 2 'budget: must be a finite number above zero' "$fcps" study ask throw.fcps --target x=2 --client third --budget 0

# a mistyped result that was dropped costs what its ask would have
problem '1 + 0.2*speed^2'
expect 0 'made typo.fcps' "$fcps" study new typo.fcps --problem throw.yaml
expect 0 'ask 1' "$fcps" study ask typo.fcps --target x=2
expect 0 'stored' "$fcps" study tell typo.fcps 1 --executed speed=1e9 --outcome land=1
expect 0 'amended' "$fcps" study amend typo.fcps --drop 1.1
expect 0 'ask 2' "$fcps" study ask typo.fcps --target x=2 --budget 40

# a run ends if the cost is taken away, because it cannot keep its budget
cat >throw.py <<'END'
import json, os, subprocess, sys
for line in sys.stdin:
    r = json.loads(line)
    if r["ask"] == 3:
        subprocess.run([os.environ["FCPS"], "study", "amend", "gone.fcps", "--cost", "none"], check=True, stdout=subprocess.DEVNULL)
    print(json.dumps({"ask": r["ask"], "outcome": {"land": 1}}), flush=True)
END
FCPS=$fcps expect 2 'E_UNSUPPORTED: budget: this problem does not say' "$fcps" run throw.yaml --store gone.fcps --episodes 9 --budget 90 --quiet
exit $failed
