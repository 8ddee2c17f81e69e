# SPDX-License-Identifier: Apache-2.0
# Habits from other languages and typing errors: each gets an answer that says what to write instead.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
cp "$FCPS_SOURCE_DIR"/examples/simulator/* .
"$fcps" study new t.fcps --problem throw.yaml >/dev/null

# formulas as in Python, C and MATLAB; a correct formula that only looks like one of these is not questioned
habit() { expect 2 "$2" "$fcps" study amend t.fcps --reward "$1"; }
habit '-distance**2' 'a power with ^'
habit '-pow(distance, 2)' 'a power with ^'
habit '-distance.^2' 'a power with ^'
habit '-distance if present else -10' 'CONDITION ? A : B'
habit 'present and -distance' 'write && for and'
habit 'present & -distance' 'write && for and'
habit '-distance or 3' 'write || for or'
habit 'not present' 'x == 0 for not x'
habit '!present' 'x == 0 for not x'
habit '-|distance|' 'write abs(x)'
habit '-math.sqrt(distance)' 'without `math.`'
habit '-np.abs(land_x - x)' 'without `np.`'
habit 'True' 'write 1 for true'
habit '-distance // 2' 'floor(a/b)'
habit 'x % 2' 'mod(a, b)'
habit '-distace' "did you mean 'distance'"
for formula in 'present && x != 3 || y <= 2 ? -distance : -1' '-distance^2' '-2.*abs(land_x - x)*.5'; do
  expect 0 'amended' "$fcps" study amend t.fcps --reward "$formula"
done
sed 's/^reward:.*/reward: -distance**2/' throw.yaml >powers.yaml
expect 2 'powers.yaml:[0-9]*:[0-9]*: reward: .*a power with ^' "$fcps" check powers.yaml

# names that are nearly right
printf 'x,y,wnd\n1,2,0\n' >near.csv
expect 2 "there is no column 'wind'; each target and environment dimension needs one. Rename column 'wnd' to wind" "$fcps" retarget t.fcps near.csv
printf 'x,z,wind\n1,2,0\n' >other.csv
expect 2 "there is no column 'y'; .* Rename column 'z' to y if it is meant" "$fcps" study ask t.fcps --contexts other.csv
printf 'x,wind\n1,0\n' >none.csv
expect 2 "there is no column 'y'; each target" "$fcps" study ask t.fcps --contexts none.csv

# a result that could not be used is replaced only by a result that can be used
"$fcps" study ask t.fcps --target x=3,y=4 --environment wind=0.2 >/dev/null
expect 0 'W_REWARD_NOT_FINITE' "$fcps" study tell t.fcps 1 --outcome land_x=nan,land_y=1
expect 2 'E_CONFLICT' "$fcps" study tell t.fcps 1 --outcome land_x=inf,land_y=1
expect 0 'stored result of ask 1, reward' "$fcps" study tell t.fcps 1 --outcome land_x=0.64,land_y=-3.05
expect 2 'E_CONFLICT' "$fcps" study tell t.fcps 1 --outcome land_x=0.7,land_y=-3.05
expect 0 '1 result: 1 with an outcome' "$fcps" study status t.fcps

keyed='--key k --target x=3,y=4 --environment wind=0 --executed turn=10,speed=5'
expect 0 'W_REWARD_NOT_FINITE' "$fcps" study tell t.fcps $keyed --outcome land_x=inf,land_y=1
expect 0 'without an ask, reward' "$fcps" study tell t.fcps $keyed --outcome land_x=2.5,land_y=0.4
expect 2 'E_CONFLICT' "$fcps" study tell t.fcps $keyed --outcome land_x=inf,land_y=1
expect 0 '2 results: 2 with an outcome' "$fcps" study status t.fcps

# files that are nearly right, or given in place of another file
expect 4 'thorw.yaml: cannot be opened.* Did you mean throw.yaml?' "$fcps" check thorw.yaml
expect 4 'Did you mean ./throw.yaml?' "$fcps" run ./throw.yml
expect 4 'Did you mean throw.yaml?' "$fcps" check throw
expect 2 'there is no task "throw".* Did you mean throw.yaml?' "$fcps" run throw
expect 4 'Did you mean t.fcps?' "$fcps" study status t
expect 4 'Did you mean near.csv?' "$fcps" retarget t.fcps naer.csv
expect 2 'near.csv: is not a study; a study comes first' "$fcps" retarget near.csv t.fcps
expect 2 'fcps study best' "$fcps" best t.fcps

# words in the other order, or without their option
expect 2 '"throw.yaml" is one argument too many; a problem file is given as --problem throw.yaml' "$fcps" study new g.fcps throw.yaml
[ ! -e g.fcps ] || complain 'a refused command has made a study'
expect 2 'the command comes first: fcps study status t.fcps' "$fcps" study t.fcps status
expect 2 'there is no command "t.fcps"; choose from' "$fcps" study t.fcps

# a program or a table in place of a problem or a study, and a study that does not exist yet
printf 'import json\n' >throw.py
expect 2 'throw.py: is not a problem file; give the YAML file that names this program.*fcps check FILE.yaml' "$fcps" check throw.py
expect 2 '\-target: a whole name has two dashes: --target' "$fcps" study best t.fcps -target x=1,y=2
expect 2 't.fcps: is a study; give the problem file, as in throw.yaml' "$fcps" check t.fcps
expect 2 't.fcps: is a study; give the problem file' "$fcps" study new u.fcps --problem t.fcps
[ ! -e u.fcps ] || complain 'a study was made from a study'
expect 2 '--store: near.csv is not a study; give the study another name, as in throw.fcps' "$fcps" run throw.yaml --store near.csv
expect 2 '--store: near.csv is not a study; choose another name' "$fcps" run toy --store near.csv
[ "$(head -n 1 near.csv)" = x,y,wnd ] || complain 'a table was written over'
cp throw.py puck.py
expect 4 'there is no study puck.fcps yet. One is made by: fcps run FILE.yaml, or fcps study new puck.fcps --problem' "$fcps" study best puck.fcps --target x=1,y=2
! grep -q 'Did you mean' err || complain "another kind of file is offered as a study: $(cat err)"
cp t.fcps pluck.fcps
expect 4 'Did you mean pluck.fcps?' "$fcps" study status puck.fcps

# the files that were written are named, beside the warnings
printf 'x,y,wind\n1,2,0\n' >right.csv
expect 0 '^wrote answers.csv$' "$fcps" retarget t.fcps right.csv -o answers.csv
grep -q '^wrote answers.csv$' err || complain 'said on standard output'
expect 0 '^wrote t.policy$' "$fcps" policy export t.fcps -o t.policy
grep -q '^wrote t.policy$' err || complain 'said on standard output'

# for an edited file, the message names the study that stands in its way, and how to begin another
expect 0 '3 results' "$fcps" run throw.yaml -n 3 --no-figure
sed 's/\[land_x, land_y\]/[land_x, land_y, high]/' throw.yaml >edited.yaml
expect 2 "other dimensions than the study throw.fcps: the file has 'high', which the study lacks.*give it a column for 'high'.*--store NEW.fcps" \
  "$fcps" run edited.yaml --store throw.fcps
sed 's/range: \[1, 10\]/range: [1, 12]/' throw.yaml >edited.yaml
expect 2 'parameters.speed: differs .* 1 to 10; the file has 1 to 12.*amend throw.fcps --bounds speed=1,12; .*: --store NEW.fcps' \
  "$fcps" run edited.yaml --store throw.fcps
# a step cannot be amended, and a renamed dimension is a new one: both messages say how to keep the trials, and that way works
sed 's/range: \[1, 10\]/range: [1, 10], step: 0.5/' throw.yaml >edited.yaml
expect 2 'parameters.speed: differs from the study: the file has the step 0.5, and the study 0.*To keep its 3 results' "$fcps" run edited.yaml --store throw.fcps
! grep -q -- --bounds err || complain "bounds cannot change a step: $(cat err)"
sed 's/speed/pace/g' throw.yaml >edited.yaml
expect 2 "the study has 'speed', which the file lacks, and the file 'pace'" "$fcps" run edited.yaml --store throw.fcps
grep -q 'To keep its 3 results: fcps study export throw.fcps -o old.csv; .*rename that column; fcps study new NEW.fcps --problem edited.yaml; fcps study import NEW.fcps old.csv' err ||
  complain "not said how to keep the results: $(cat err)"
"$fcps" study export throw.fcps -o old.csv
sed -i '1 s/speed/pace/' old.csv
"$fcps" study new NEW.fcps --problem edited.yaml >out
expect 0 'imported 3 results' "$fcps" study import NEW.fcps old.csv

# if bounds were amended, and edited back in the file, the run says so before a trial is asked for
cp throw.yaml safe.yaml
expect 0 '3 results' "$fcps" run safe.yaml -n 3 --seed 1000 --no-figure
! grep -q W_BOUNDS_DIFFER err || complain "equal bounds are called others: $(cat err)"
expect 0 amended "$fcps" study amend safe.fcps --bounds speed=0.5,10
expect 0 'W_BOUNDS_DIFFER: parameters.speed is 0.5 to 10 in the study, .* 1 to 10 in safe.yaml: trials may be asked for outside' "$fcps" run safe.yaml -n 4 --no-figure
grep -q 'fcps study amend safe.fcps --bounds speed=1,10$' err || complain "not said how to take them: $(cat err)"
expect 0 'W_BOUNDS_DIFFER' "$fcps" work safe.fcps --problem safe.yaml --trials 5
expect 0 . "$fcps" work safe.fcps --trust-study --trials 6
! grep -q W_BOUNDS_DIFFER err || complain "the study's own file is called another: $(cat err)"
expect 0 amended "$fcps" study amend safe.fcps --bounds speed=1,10
expect 0 . "$fcps" run safe.yaml -n 7 --no-figure
! grep -q W_BOUNDS_DIFFER err || complain "equal bounds are called others: $(cat err)"
! grep -q W_REWARD_DIFFERS err || complain "the same reward is called another: $(cat err)"
expect 0 amended "$fcps" study amend safe.fcps --reward '-3*distance'
expect 0 'W_REWARD_DIFFERS: the study goes on with its own reward, -3\*distance' "$fcps" work safe.fcps --problem safe.yaml --trials 8

# the commands that a run prints can be typed, whatever the file is called
cp throw.yaml "it's \$my.yaml"
expect 0 'reward  .* on average; best' "$fcps" run "it's \$my.yaml" -n 3 --no-figure
PATH=$FCPS_BINARY_DIR:$PATH
sed -n '/^next/,$ s/^  fcps/fcps/p' out >typed
[ "$(wc -l <typed)" -eq 3 ] && sh -e typed >out 2>err || complain "printed commands fail: $(cat typed err)"

# a list that fits on a screen, and one learner by its name
"$fcps" learners >out
[ "$(wc -l <out)" -le 20 ] && ! grep -Eq '.{121}' out || complain "the list of learners is long: $(cat out)"
expect 0 'kappa  *1 ' "$fcps" learners outcome

# wrong options get our own message, not that of getopt, which does not say what would be right
own() {
  expect 2 "$@"
  ! grep -q "^Try\|option --\|requires an argument" err || complain "getopt's own words: $(cat err)"
}
own 'E_ARGUMENT: -3: a negative number cannot stand alone here.*as in --target x=-3' "$fcps" study tell t.fcps -3
own 'E_ARGUMENT: -.5: a negative number' "$fcps" study ask t.fcps -.5
own 'E_ARGUMENT: --outcome: needs a value: --outcome NAME=VALUE' "$fcps" study tell t.fcps 1 --outcome
own 'E_ARGUMENT: --count: needs a value: --count N' "$fcps" study ask t.fcps -n
own 'E_ARGUMENT: --output: needs a value: --output FILE. If --format is the value, write --output=--format' \
  "$fcps" study export t.fcps --output --format
own 'E_ARGUMENT: --json=3: this option has no value; write --json' "$fcps" study log --json=3 t.fcps
own 'E_UNKNOWN_NAME: -Z: there is no such option; choose from: help' "$fcps" run toy -qZ
own 'E_UNKNOWN_NAME: -Z: there is no such option' "$fcps" study log t.fcps -jZ
for words in '' 'run toy' study 'study log t.fcps'; do
  own '--verbose: there is no such option; progress and warnings are always shown, on standard error' "$fcps" $words --verbose
done
own '-n: there is no such option; a command comes first' "$fcps" -n 3
# a value that looks like an option is not one
expect 0 'x=-3' "$fcps" study ask t.fcps -t x=-3,y=-2 -e wind=-1
expect 4 'E_IO: .*-3' "$fcps" study log -- -3

# the version, as all programs say it
for word in version --version -V -v; do
  expect 0 '^fcps [0-9]' "$fcps" "$word"
done
expect 0 '^  version ' "$fcps" --help

# if there is no number, none is printed, and `log` says so as `tell` does
number=$("$fcps" study ask t.fcps -t x=1,y=2 -e wind=0 | sed -n 's/^ask //p')
expect 0 'no reward' "$fcps" study tell t.fcps "$number" --failed slipped
expect 0 "^$number.1  failed  no reward" "$fcps" study log t.fcps
! grep -q 'reward nan' out || complain "a reward is called nan: $(cat out)"

exit $failed
