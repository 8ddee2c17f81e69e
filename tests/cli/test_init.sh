# SPDX-License-Identifier: Apache-2.0
# The files of `fcps init` run at once in every language of this machine, and learn. No existing file is overwritten.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

# tried LANGUAGE SUFFIX: check and a short run, whose trials are those of the other languages
tried() {
  name=my_$1
  expect 0 "wrote $name.yaml" "$fcps" init "$name" --language "$1"
  [ -s "$name.$2" ] || complain "$1: no $name.$2"
  expect 0 'Nothing looks wrong' "$fcps" check "$name.yaml"
  grep -q 'angle .*in steps of 1' out || complain "$1: the step is not said: $(cat out)"
  grep -q 'reward depends on target place; parameters speed; outcome land\.' out || complain "$1: $(cat out)"
  [ ! -e "$name.fcps" ] || complain "$1: check has stored something"
  expect 0 '8 results: 8 with an outcome' "$fcps" run "$name.yaml" --episodes 8 --store "$name.fcps"
  "$fcps" study log "$name.fcps" --json | sed 's/.*"outcome":{"land":\([0-9.]\{8\}\).*/\1/' >"$name.lands"
  [ "$(wc -l <"$name.lands")" -eq 8 ] || complain "$1: not eight lands: $(cat "$name.lands")"
}
tried python py
tried c c
tried shell sh
cmp -s my_python.lands my_c.lands || complain "C and Python differ: $(paste my_python.lands my_c.lands)"
cmp -s my_python.lands my_shell.lands || complain "sh and Python differ: $(paste my_python.lands my_shell.lands)"

# every ask and every policy stays on the steps, with any learner
for learner in outcome bo-fcps bo-cps outcome-active c-reps c-cma-es crkr; do
  expect 0 '12 results: 12 with' "$fcps" run my_python.yaml --episodes 12 --store "steps-$learner.fcps" --learner "$learner"
  "$fcps" study log "steps-$learner.fcps" --json | grep -o '"angle":[^,}]*' >angles
  [ "$(grep -c '^"angle":[0-9]*\.0$' angles)" -eq 12 ] || complain "$learner asks off the steps: $(cat angles)"
  expect 0 '"angle":[0-9]*\.0[,}]' "$fcps" study best "steps-$learner.fcps" --target place=5 --environment height=1 --json
done
printf 'place,height\n4,1\n5,0.5\n7,0\n' >contexts.csv
"$fcps" retarget steps-outcome.fcps contexts.csv | cut -d , -f 4 | grep -c '^[0-9]*$' >whole
[ "$(cat whole)" -eq 3 ] || complain "retarget is off the steps: $("$fcps" retarget steps-outcome.fcps contexts.csv)"

# a trial between two steps is stored, with a warning
expect 0 'ask 13' "$fcps" study ask steps-outcome.fcps --target place=5 --environment height=1
expect 0 'W_OFF_STEP: parameters.angle: 40.5 lies between its steps' "$fcps" study tell steps-outcome.fcps 13 --outcome land=5 --executed angle=40.5

# MATLAB's program is only read as text if neither Octave nor MATLAB is installed
expect 0 'GNU Octave' "$fcps" init my_matlab --language matlab
grep -q 'jsondecode' my_matlab.m || complain 'the MATLAB program reads no JSON'
grep -q 'octave, --quiet, my_matlab.m' my_matlab.yaml || complain "the command: $(cat my_matlab.yaml)"
expect 0 'place .*3 to 8 m' "$fcps" check my_matlab.yaml --trials 0
if command -v octave >/dev/null; then
  expect 0 'Nothing looks wrong' "$fcps" check my_matlab.yaml
else
  echo 'no Octave here: its program was not run'
fi

# without a name, and what is refused
expect 0 'wrote first.yaml' "$fcps" init
before=$(cat first.yaml first.py | cksum)
expect 2 'first.yaml exists and is not overwritten' "$fcps" init
rm first.yaml
expect 2 'first.py exists and is not overwritten' "$fcps" init first
[ ! -e first.yaml ] || complain 'half of the files were written'
expect 0 'wrote my_sh.sh' "$fcps" init my_sh --language sh # as README calls it
expect 2 'did you mean python' "$fcps" init other --language pyton
expect 2 'letters, digits and underscores' "$fcps" init my-ball
expect 2 'without a suffix' "$fcps" init ball.yaml
expect 2 'E_ARGUMENT' "$fcps" init ../ball
expect 2 'E_ARGUMENT' "$fcps" init ''
expect 0 'Example' "$fcps" init --help

exit $failed
