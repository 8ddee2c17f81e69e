# SPDX-License-Identifier: Apache-2.0
# A study keeps its units, and first warns if its file has others.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

cat >g.yaml <<'YAML'
name: g
target: {want: {range: [0, 10], unit: mm}}
environment: {temp: {range: [15, 35], unit: degC}}
parameters: {p: {range: [1, 6], unit: bar}}
outcome: {o: {unit: mm}}
reward: -abs(o - want)
run: {command: [python3, g.py], timeout_s: 30}
YAML
cat >g.py <<'PY'
import json, sys
for line in sys.stdin:
    t = json.loads(line)
    print(json.dumps({"ask": t["ask"], "outcome": {"o": t["parameters"]["p"]}}), flush=True)
PY
run() { sed "$1" g.yaml >h.yaml && "$fcps" run h.yaml --store g.fcps --episodes "$2" --no-figure; }

# another unit and its range: the warning names the unit, and does not say how to widen the bounds
expect 0 'p=[0-9.]* bar' run '' 3
expect 2 'h.yaml: parameters.p: the file says kPa, and the study bar: a study keeps its unit.*multiply its column p by 100' \
  run 's/\[1, 6\], unit: bar/[100, 600], unit: kPa/' 4
! grep -q -- --bounds err || complain "bounds in another unit are advised: $(cat err)"
grep -q 'fcps study import NEW.fcps old.csv' err || complain "nobody says how to go on: $(cat err)"
expect 2 'environment.temp: the file says K, and the study degC.*convert its column temp to K' \
  run 's/\[15, 35\], unit: degC/[288, 308], unit: K/' 4
expect 2 'parameters.p: differs from the study, which has 1 to 6.*--bounds p=1,7' run 's/\[1, 6\]/[1, 7]/' 4

# only the unit's name differs: nothing is converted, and output has the unit of the study
expect 0 'W_WORDS_DIFFER: h.yaml says psi for p, and the study says bar' run 's/unit: bar/unit: psi/' 4
grep -q 'p=[0-9.]* bar' out || complain "a line has another unit than the study: $(cat out)"
exit $failed
