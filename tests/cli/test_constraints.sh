# SPDX-License-Identifier: Apache-2.0
# Constraints at the command line: `check` shows them; asks, best, retarget and saved policies keep them; wrong ones are
# refused; results that break them are named.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

# problem CONSTRAINTS
problem() {
  cat >mix.yaml <<END
name: mix
target: {want: [0, 1]}
parameters: {acid: [0, 1], salt: [0, 1], water: [0, 1]}
outcome: [sour]
reward: -abs(sour - want)
constraints: $1
END
}
kept() { # the numbers of a line of JSON or CSV rows: acid, salt, water
  python3 -c '
import sys
acid, salt, water = map(float, sys.argv[1:])
assert abs(acid + salt + water - 1) < 1e-9 and acid * salt <= 0.05 + 1e-9 and water >= 0.2 - 1e-9, sys.argv' "$@" ||
    complain "broken: $*"
}
parameters() { python3 -c '
import json, sys
p = json.load(open("out"))["parameters"]
print(p["acid"], p["salt"], p["water"])'; }

printf 'want\n0.2\n0.7\n' >contexts.csv
problem '["acid + salt + water == 1", "acid*salt <= 0.05 && water >= 0.2"]'
expect 0 'constraints  acid + salt + water == 1   # what every ask keeps' "$fcps" check mix.yaml
grep -q '^ *acid\*salt <= 0.05 && water >= 0.2$' out || complain "the second is not shown: $(cat out)"
expect 0 'made mix.fcps' "$fcps" study new mix.fcps --problem mix.yaml --seed 1001
for trial in 1 2 3 4 5 6 7 8; do
  expect 0 '"parameters"' "$fcps" study ask mix.fcps --target want=0.4 --json
  kept $(parameters)
  sour=$(python3 -c '
import json
p = json.load(open("out"))["parameters"]
print(p["acid"] - 0.3*p["salt"])')
  "$fcps" study tell mix.fcps "$trial" --outcome sour="$sour" >/dev/null 2>err || complain "told: $(cat err)"
  ! grep -q W_CONSTRAINT err || complain "said of its own ask: $(cat err)"
done
expect 0 '"parameters"' "$fcps" study best mix.fcps --target want=0.4 --json
kept $(parameters)
expect 0 '"constraints":\[{"formula":"acid + salt + water == 1"},' "$fcps" study problem mix.fcps --json
expect 0 '"acid"' "$fcps" study retarget mix.fcps --contexts contexts.csv --json
python3 - <<'END' || complain "retarget breaks a constraint"
import json
for answer in json.load(open("out"))["answers"]:
    p = answer["parameters"]
    assert abs(sum(p.values()) - 1) < 1e-9 and p["acid"] * p["salt"] <= 0.05 + 1e-9 and p["water"] >= 0.2 - 1e-9
END

# a trial that was done is stored, with a warning
expect 0 'W_CONSTRAINT: the parameters break "acid + salt + water == 1". The result is stored and used as it is. If it is a mistake: fcps study amend mix.fcps --drop' \
  "$fcps" study tell mix.fcps --target want=0.4 --executed acid=0.5,salt=0,water=0.4 --outcome sour=0.5

# no parameters keep the constraints: said before the first trial
problem '["acid + salt <= 0.3", "salt >= 0.5"]'
expect 2 'mix.yaml:6:14: constraints: no parameters within their bounds keep both "acid + salt <= 0.3" and "salt >= 0.5"' \
  "$fcps" study new no.fcps --problem mix.yaml
problem '["acid + salt <= 1", "acid + sour <= 1"]'
expect 2 "constraints.2: 'sour' is an outcome" "$fcps" check mix.yaml
problem '["acid + salt"]'
expect 2 'mix.yaml:6:16: constraints.1: expected a comparison with <=, >= or ==' "$fcps" check mix.yaml
[ ! -e no.fcps ] || complain 'a study without parameters was made'
exit $failed
