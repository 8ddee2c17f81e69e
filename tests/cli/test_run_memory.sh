# SPDX-License-Identifier: Apache-2.0
# A run with `--store memory:` ends as any other, and gives no command for a study that no command can name.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

cat >m.py <<'PY'
import json, os, sys
for line in sys.stdin:
    t = json.loads(line)
    o = 10 * t["parameters"]["p"] + 0.1 * (t["ask"] % 3)
    if t["ask"] == 20: o *= 100  # a lost decimal point
    if t["ask"] > int(os.environ.get("RIGHT", "99")): o *= 1000  # another unit
    answer = {"failed": "no power"} if "BROKEN" in os.environ else {"outcome": {"o": o}}
    print(json.dumps({"ask": t["ask"], **answer}), flush=True)
PY
cat >m.yaml <<'YAML'
name: m
target: {want: [0, 10]}
parameters: {p: [0, 1]}
outcome: [o]
reward: -abs(o - want)
run: {command: [python3, m.py], timeout_s: 30}
YAML

no_command() { ! grep -Eq 'fcps study [a-z-]+ (STUDY|memory:|--)' out err || complain "$1: advice for a study without a file: $(cat out err)"; }

# one suspect at the end
for how in '' --json '--parallel 2'; do
  expect 0 'suspect 20.1: o=.* A typo? It could be amended in a study with a file (--store FILE.fcps)' \
    "$fcps" run m.yaml --episodes 25 --store memory: --no-figure $how
  no_command "a suspect, ${how:-plain}"
done
expect 0 'nothing is kept' "$fcps" run m.yaml --episodes 25 --store memory:
expect 0 'suspect 20.1: .* A typo? fcps study amend m.fcps --drop 20.1, or --confirm 20.1' "$fcps" run m.yaml --episodes 25 --no-figure

# many in another unit, and a run that is ended by failures
RIGHT=20 expect 0 'W_UNIT: .*Take them out' "$fcps" run m.yaml --episodes 30 --store memory: --no-figure
no_command 'another unit'
BROKEN=1 expect 7 'E_FAILURE_RATE: .*no power.*in a study with a file, fcps study amend FILE.fcps --drop failed' \
  "$fcps" run m.yaml --episodes 9 --store memory: --no-figure
no_command failures
! grep -q 'All are stored' err || complain "what is in memory is called stored: $(cat err)"
BROKEN=1 expect 7 'E_FAILURE_RATE: .*no power.*fcps study amend kept.fcps --drop failed' "$fcps" run m.yaml --episodes 9 --store kept.fcps
exit $failed
