# SPDX-License-Identifier: Apache-2.0
# `fcps run FILE.yaml` keeps a study beside the file, sums up what was learnt, draws it, and prints commands that can be
# typed as they stand. One number names a trial everywhere.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
PATH=$FCPS_BINARY_DIR:$PATH
cp "$FCPS_SOURCE_DIR"/examples/simulator/* .

# -- the study beside the file, the summary and the figure --

expect 0 'study    throw.fcps' "$fcps" run throw.yaml --episodes 15
for words in '^throw, learner outcome, seed 1: 15 results: 15 with an outcome' 'in the first 7 trials, .* in the last 7' \
  'predicted reward -[0-9.]* +- [0-9.]*, mean over' 'going on  *worth it: .* More trials gain about' \
  'fcps study best throw.fcps --target x=0,y=0 --environment wind=0' 'fcps run throw.yaml --episodes 30   # goes on, to 30 episodes in all'; do
  grep -q -- "$words" out || complain "no \"$words\" in: $(cat out)"
done
grep -Eq '^  15  ok          reward -[0-9.]{1,7} +turn=[0-9.]{1,6} deg  speed=[0-9.]{1,6} m/s$' out || complain "its line: $(cat out)"
if command -v gnuplot >/dev/null; then
  grep -q 'figure   throw-figure.svg, throw-figure.png' out || complain "no figure: $(cat out err)"
  for words in 'throw: learner outcome, 15 trials' 'map at wind 0 m/s' 'learning curve' 'dots: trials'; do
    grep -q "$words" throw-figure.svg || complain "the figure lacks: $words"
  done
  [ -s throw-figure.png ] || complain 'there is no PNG'
fi

# what it prints next can be typed
sed -n '/^next/,$ s/^  \(fcps .*\)/\1/p' out >commands
[ "$(wc -l <commands)" -eq 3 ] || complain "three commands are wanted: $(cat commands)"
sh -e commands >told 2>&1 || complain "a command fails: $(cat commands told)"
expect 0 '30 results: 30 with' "$fcps" study status throw.fcps

# the run continues, and is refused if the file has changed
expect 0 'nothing to do: 30 of 30 episodes are done; to go on, give a larger --episodes' "$fcps" run throw.yaml --episodes 30
expect 0 'nothing to do: 30 episodes are done, and --episodes is 3;' "$fcps" run throw.yaml --episodes 3
grep -q 'in the first 10 trials, .* in the last 10' out || complain "the means of many trials: $(cat out)"
sed 's/0.01\*speed/0.02*speed/' throw.yaml >changed.yaml && cp throw.fcps changed.fcps
expect 2 'changed.yaml: reward: differs from the study.*fcps study amend changed.fcps --reward' "$fcps" run changed.yaml --episodes 40

# a file that was renamed has left its study behind; a copy of a file has one of its own
mkdir renamed copied
cp throw.yaml simulate.py renamed && cp throw.yaml simulate.py copied
"$fcps" run renamed/throw.yaml --episodes 3 --no-figure >/dev/null 2>&1
cp renamed/* copied
mv renamed/throw.yaml renamed/ball.yaml && cp copied/throw.yaml copied/ball.yaml
expect 0 'W_OTHER_STUDY: renamed/throw.fcps has 3 results of the same problem.*fcps run renamed/ball.yaml --store renamed/throw.fcps' \
  "$fcps" run renamed/ball.yaml --episodes 2 --no-figure
"$fcps" run copied/ball.yaml --episodes 2 --no-figure >out 2>err
! grep -q W_OTHER_STUDY err || complain "a copy is called a renamed file: $(cat err)"

# the middle of a logarithmic range is the geometric one, and that of whole numbers is whole: in the next command, the figure
# and the map
sed 's/^environment:.*/environment: {wind: {range: [50, 500], scale: log}, wheels: {range: [1, 8], scale: integer}}/' throw.yaml >log.yaml
sed 's/def throw(turn, speed, wind):/def throw(turn, speed, wind, wheels):/' simulate.py >log.py && sed -i 's/simulate.py/log.py/' log.yaml
expect 0 '--environment wind=158.1,wheels=5 ' "$fcps" run log.yaml --episodes 3 --no-figure
"$fcps" study status log.fcps --map log.csv >/dev/null 2>&1
sed 1d log.csv | cut -d , -f 3,4 | sort -u >middles
grep -q '^158.11388300841[0-9]*,5$' middles || complain "the map is cut elsewhere: $(head -3 middles)"
if command -v gnuplot >/dev/null; then
  "$fcps" study status log.fcps --figure log.svg >/dev/null 2>&1
  grep -q 'map at wind 158.1, wheels 5' log.svg || complain "the figure names another middle: $(grep -o 'map at [^<]*' log.svg)"
fi

# impossible arguments are named
expect 2 '--seed: 99999999999999999999 is out of range' "$fcps" run throw.yaml --seed 99999999999999999999
expect 2 '--store: throw.yaml is a problem file; give the study another name, as in throw.fcps' "$fcps" run throw.yaml --store throw.yaml
expect 2 'write decimals with a point' "$fcps" study tell throw.fcps 1 --outcome land_x=4,8e-5,land_y=300

# -- other places --

mkdir deep
cp throw.yaml simulate.py deep
expect 0 'study    deep/throw.fcps' "$fcps" run deep/throw.yaml --episodes 3 --no-figure
[ ! -e deep/throw-figure.svg ] || complain 'a figure was drawn'
expect 0 'nothing is kept' "$fcps" run throw.yaml --episodes 3 --store memory:
cp -r deep 'my lab'
rm 'my lab/throw.fcps'
expect 0 "fcps study status 'my lab/throw.fcps'" "$fcps" run 'my lab/throw.yaml' --episodes 3 --no-figure
expect 0 'fcps run throw.yaml --store other.fcps --episodes 6' "$fcps" run throw.yaml --episodes 3 --store other.fcps --no-figure

# scripts get lines and nothing else
"$fcps" run throw.yaml --episodes 4 --store quiet.fcps --quiet >out 2>err
[ "$(wc -l <out)" -eq 4 ] && [ ! -s err ] || complain "quiet is not: $(cat out err)"
"$fcps" run throw.yaml --episodes 4 --store json.fcps --json >out 2>/dev/null
[ "$(grep -c '^{"episode":' out)" -eq 4 ] && [ "$(wc -l <out)" -eq 4 ] || complain "JSON has other lines: $(cat out)"
[ ! -e quiet-figure.svg ] && [ ! -e json-figure.svg ] || complain 'a figure was drawn for a script'

# -- one number for a trial: that of its ask --

expect 0 'made hand' "$fcps" study new hand.fcps --problem throw.yaml
expect 0 'ask 1' "$fcps" study ask hand.fcps --target x=3,y=4 --environment wind=0.2
expect 0 'stored result of ask 1, reward -7.737' "$fcps" study tell hand.fcps 1 --outcome land_x=0.64,land_y=-3.05
expect 0 '^   2  ok ' "$fcps" run throw.yaml --store hand.fcps --episodes 1 --no-figure
expect 0 '^2.1  ok ' "$fcps" study log hand.fcps

# people see four digits, programs all of them
expect 0 'turn=[0-9.]\{3,5\} deg  speed=[0-9.]\{3,5\} m/s$' "$fcps" study best throw.fcps --target x=1,y=2 --environment wind=0
expect 0 '"turn":[0-9]*\.[0-9]\{10\}' "$fcps" study best throw.fcps --target x=1,y=2 --environment wind=0 --json
expect 0 '^turn=[0-9]*\.[0-9]\{10\}' "$fcps" study ask throw.fcps --target x=1,y=2 --environment wind=0 --shell

exit $failed
