# SPDX-License-Identifier: Apache-2.0
# Commands that come only from rows of the table of operations: their arguments, help, output and refusals.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
cp "$FCPS_SOURCE_DIR/examples/simulator/throw.yaml" .
"$fcps" study new throw.fcps --problem throw.yaml >/dev/null
expect 0 '^next  *fcps study ask throw.fcps --target x=NUMBER,y=NUMBER --environment wind=NUMBER ' "$fcps" study status throw.fcps
row() { name=$1; shift; "$fcps" study "$name" throw.fcps "$@"; }

for name in asks rollouts events suspects problem health use drop confirm note retarget table why forecast explain; do
  expect 0 "^  $name " "$fcps" study --help
  expect 0 "fcps study $name throw.fcps" "$fcps" study $name --help
done
expect 0 '--latest=N *Only the latest rows, at most this many' "$fcps" study events --help
for name in curve policy file lease work map; do # for programs
  expect 2 "there is no command \"$name\"" row $name
done

# an operation without a printer of its own: a line for each value, a line for each object of a list
expect 0 '^no suspects$' row suspects
row ask --target x=3,y=4 --environment wind=0.2 >/dev/null
expect 0 '^  environment  wind=0.2 m/s$' row asks
row tell 1 --outcome land_x=0.64,land_y=-3.05 >/dev/null
expect 0 '^no asks$' row asks
expect 0 '^  state  *told$' row asks --state all
expect 0 '^model  *model=' row health
! grep -q 'log_odds\|units=' out || complain "raw lines: $(cat out)"
expect 0 '^rollouts  *result=1.1  ask=1  status=ok .*used=yes' row rollouts --limit 1
expect 0 '^{"rollouts":\[{"result":2,"name":"1.1",.*"last":2' row rollouts --json
expect 0 '^rollouts  *none$' row rollouts --after 2
expect 0 '^ask,status,' row table
row amend --reward '-2*distance' >/dev/null
expect 0 '^events  *sequence=3 .*code=reward' row events
expect 0 '^used  *no$' row drop 1.1
expect 0 '^result  *1.1$' row use 1.1
expect 0 '{"result":2,"name":"1.1","confirmed":true}' row confirm 1.1 --json

# notes: each once, and only about a result that is there
expect 0 '^noted\.$' row note 'the belt was loose' --result 1.1
expect 0 '"repeated":true' row note 'the belt was loose' --result 1.1 --json
row note 'a new ball' >/dev/null
[ "$("$fcps" study log throw.fcps | grep -c '^note')" -eq 2 ] || complain 'not each note once'
expect 0 '^note.1.1: the belt was loose$' "$fcps" study log throw.fcps
expect 0 '^note: a new ball$' "$fcps" study log throw.fcps
expect 2 'text: the note is empty' row note ' '
expect 2 'no result "9.1"' row note lost --result 9.1
expect 2 'at most 4000 bytes; this one has 4001' row note "$(printf '%04001d' 0)"
expect 2 'which TEXT' row note

# mistakes are said in the options of the command
expect 2 '--state: "some" is not a state; choose pending or all' row asks --state some
expect 2 '--limit: 0 is out of range; give a number from 1 to 10000' row events --limit 0
expect 2 '--limit: "few" is not a whole number' row events --limit few
expect 2 'there is no such option; did you mean limit' row events --limt 3
expect 2 'which RESULT' row drop
expect 2 'no result "9.1"' row drop 9.1
expect 2 'there is no result "2".*fcps study log' row drop 2 # nor the number of a record
expect 2 'there is no result "1"; the result of ask 1 is called 1.1' row drop 1
expect 2 'one argument too many' row suspects 3
expect 2 '--contexts: is missing' row retarget
printf 'x,y,wind\n1,2,0\n' >contexts.csv
expect 0 '^answers  *target=(x=1  y=2)' row retarget --contexts contexts.csv
expect 0 '^x,y,wind,turn,speed,predicted_reward' row retarget --contexts contexts.csv --format csv

# of numbers, names are judged by the study
expect 2 '--target: has no "z"; .*from: x, y' row best --target z=1
expect 2 '"speed" is a parameter' row best --target speed=1
expect 2 '"land_x" is an outcome, which is told with "outcome"' row best --target land_x=1
expect 2 'wind is missing; --environment needs a value for each of: wind' row best --target x=1,y=2
expect 2 '--target: "4" is not NAME=NUMBER; a comma separates two values, so write decimals with a point' row best --target x=3,4
expect 2 '--target: "3m" of x is not a number' row best --target x=3m,y=2
expect 0 'wind=0.2 m/s' row best --target x=1,y=2 --environment 'wind=0.2 m/s' # in its own unit
expect 0 'wind=-0.5 m/s' row best --target x=1,y=2 --environment wind=-5e-1m/s
expect 2 '--environment: "0.2 km/h" is in km/h, and wind is in m/s: nothing is converted; give it in m/s' row best --target x=1,y=2 --environment 'wind=0.2 km/h'
expect 2 '--environment: "1O" of wind is not a number' row best --target x=1,y=2 --environment wind=1O
expect 2 '--environment: "calm" of wind is not a number' row best --target x=1,y=2 --environment wind=calm
expect 0 'stored' row tell --target x=1,y=2 --environment 'wind=0.1 m/s' --executed 'turn=30 °,speed=3m/s' --outcome land_x=1,land_y=2
expect 2 '--target: "x" is given twice' row best --target x=3,x=2
expect 2 'leave out --target' row best --target x=3,y=2 --contexts contexts.csv
printf 'x,y,wind\n1,2,0\n3,3,0.5\n' >contexts.csv
[ "$(row best --contexts contexts.csv 2>/dev/null | grep -c '^parameters ')" -eq 2 ] || complain 'not an answer for each context'
printf 'x,y,wind,note\n1,2,0,\344\n' >latin.csv
expect 2 'latin.csv:2: this is not a text in UTF-8' row best --contexts latin.csv
exit $failed
