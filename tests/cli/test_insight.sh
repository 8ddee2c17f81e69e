# SPDX-License-Identifier: Apache-2.0
# Questions to a study, as people see the answers: why an ask, what more trials bring, what matters, and its figure.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
cp "$FCPS_SOURCE_DIR/examples/simulator/throw.yaml" .
"$fcps" study new throw.fcps --problem throw.yaml >/dev/null
row() { name=$1; shift; "$fcps" study "$name" throw.fcps "$@"; }

expect 2 'a forecast needs 5 results that the model can learn from.*there are 0' row forecast
expect 2 'there is no result yet that the model could have learnt from' row explain
expect 2 'there is no ask 3 in this study; fcps study asks throw.fcps --state all' row why 3
expect 2 '--trials: 0 is out of range' row forecast --trials 0
awk 'BEGIN { print "x,y,wind,turn,speed,land_x,land_y"
  for (i = 0; i < 14; i++) { t = (137 * i) % 360; s = 1 + (0.618 * i * 9) % 9; r = t * 3.14159265358979 / 180
    printf "%g,%g,%g,%g,%g,%.6f,%.6f\n", (i % 5) - 2, (i % 7) - 3, (i % 3) / 2 - 0.5, t, s, s * s / 9 * cos(r), s * s / 9 * sin(r) } }' >old.csv
row import old.csv >/dev/null
row ask --target x=3,y=4 --environment wind=0.2 >/dev/null
expect 0 '^ask 1 is expected to earn .*, [a-z ]* the best known choice (.*). Its result reduces the uncertainty of ' row why 1
grep -q '^it teaches  *land_x: uncertainty from [0-9.]* to ' out || complain "no lesson: $(cat out)"
grep -q '^it rests on  *result [0-9.]* ([0-9]* % of the weight): wind=[-0-9.]* m.s  turn=' out || complain "nobody speaks for it: $(cat out)"
expect 0 '^with 4 more trials the policy earns about ' row forecast --trials 4
[ "$(grep -c '^[0-9]  *-' out)" -eq 5 ] || complain "not a line for each trial: $(cat out)"
expect 0 'within 2 more trials: it did in 0 % of the rehearsals' row forecast --trials 2 --reward 1000
expect 0 '^side by side  *2 robots need the time of 2 trials, 50 % less' row forecast --trials 4 --parallel 2
expect 0 'matters most to the reward' row explain
grep -q '^best parameters  *along x from -8 to 8: turn ' out || complain "no choices: $(cat out)"
if command -v gnuplot >/dev/null; then
  expect 0 'matters most' row explain --points 5 --figure slices.svg
  grep -q 'best speed along wind' slices.svg || complain 'the figure lacks a panel'
fi
expect 2 'slices.pdf' row explain --figure slices.pdf

# words stay words
cat >tyres.yaml <<'YAML'
target: {lap: [0, 4]}
environment: {track: {choices: [dry, wet]}}
parameters: {speed: [0, 3], tyre: {choices: [soft, medium, hard]}}
outcome: [land]
reward: -(lap-land)^2
YAML
"$fcps" study new tyres.fcps --problem tyres.yaml >/dev/null
awk 'BEGIN { split("soft medium hard", t, " "); split("dry wet", w, " "); print "lap,track,speed,tyre,land"
  for (i = 0; i < 14; i++) { s = (0.618 * 3 * i) % 3; printf "%g,%s,%g,%s,%.6f\n", i % 4, w[i % 2 + 1], s, t[i % 3 + 1], s * s / 2 - 0.3 * (i % 3) - 0.2 * (i % 2) } }' >tyres.csv
"$fcps" study import tyres.fcps tyres.csv >/dev/null
expect 0 'along track dry, wet: speed [0-9.]*, [0-9.]*; tyre [a-z]*, [a-z]*$' "$fcps" study explain tyres.fcps --environment track=wet
expect 2 'must be a number or, if the dimension has choices, one of its words' "$fcps" study explain tyres.fcps --environment track=foggy
expect 0 '"values":\["soft","medium","hard"\]' "$fcps" study explain tyres.fcps --json
cat >steep.yaml <<'YAML'
target: {a: [0, 4], b: [0, 4]}
parameters: {speed: [0, 1], tilt: [0, 1]}
outcome: [land]
reward: -(a * b - land)^2
YAML
"$fcps" study new steep.fcps --problem steep.yaml >/dev/null
awk 'BEGIN { print "a,b,speed,tilt,land"; for (i = 0; i < 14; i++) { s = (0.618 * i) % 1; printf "1,1,%g,%g,%.6f\n", s, (0.37 * i) % 1, s } }' >steep.csv
"$fcps" study import steep.fcps steep.csv >/dev/null
expect 0 '^of the parameters, speed matters most to the reward .*; of the context, [ab] .*, then [ab] .[0-9]* %.$' "$fcps" study explain steep.fcps
if command -v gnuplot >/dev/null; then
  expect 0 'matters most' "$fcps" study explain tyres.fcps --points 5 --figure tyres.svg
  sed -n '/best tyre along lap/,/best/p' tyres.svg | grep -q '<text' || complain 'no panel of words'
  for word in soft medium hard dry wet; do grep -q ">$word<" tyres.svg || complain "no tick $word"; done
fi
expect 0 '^noted.$' "$fcps" study note tyres.fcps 'new tarmac'
expect 0 '^noted before.$' "$fcps" study note tyres.fcps 'new tarmac'

# no reward is printed that the formula cannot have, and a safe start is called one
cat >safe.yaml <<'YAML'
target: {want: [3, 8]}
environment: {bean: [arabica, robusta]}
parameters: {heat: [150, 260], time: [5, 20]}
outcome: {acidity: {range: [0, 12]}, peak: {range: [100, 320]}}
reward: -abs(acidity - want)
limits: {peak: {at_most: 230, chance: 0.95}}
safe: [{heat: 170, time: 10}]
YAML
"$fcps" study new safe.fcps --problem safe.yaml >/dev/null
while read -r acidity peak; do
  "$fcps" study ask safe.fcps -t want=6 -e bean=robusta >/dev/null
  "$fcps" study tell safe.fcps $((i += 1)) --outcome acidity=$acidity,peak=$peak >/dev/null
done <<'END'
4.34 193.3
4.6 182
5.9 171
5.2 177
6.3 160
6.1 165
END
expect 0 '^ask 1 starts from parameters that the problem names as safe' "$fcps" study why safe.fcps 1
expect 0 '^ask 2 .*; what it earns could be said with 4 more results$' "$fcps" study why safe.fcps 2
! grep -qE '^(with luck|it teaches|runner-up)' out || complain "too much is known after one result: $(cat out)"
for i in 3 4 5 6; do
  "$fcps" study why safe.fcps $i >out
  ! grep -qE '^with luck  *[0-9.]*[1-9]' out || complain "more than the formula can have: $(cat out)"
done

# an early ask has a reason, although its reward cannot be compared yet
for i in 1 2 3 4 5 6; do
  "$fcps" study why safe.fcps $i >out
  ! grep -qE '^ask [0-9]* was expected to earn [-0-9.]* [+]-[0-9.]*$' out || complain "no reason: $(cat out)"
done

# with three results nothing is claimed, and nothing is suggested that would be refused; an empty space has no line
cat >hand.yaml <<'YAML'
target: {x: [0, 8]}
parameters: {speed: [1, 10], tilt: [0.1, 1.4]}
outcome: [land]
reward: -abs(land - x)
YAML
"$fcps" study new hand.fcps --problem hand.yaml >/dev/null
for i in 1 2 3; do
  "$fcps" study ask hand.fcps --target x=$i >/dev/null
  "$fcps" study tell hand.fcps $i --outcome land=1.$i >/dev/null
done
expect 0 '^too few results to say what matters: 1 more is needed$' "$fcps" study explain hand.fcps
expect 0 '^why this trial?    fcps study why hand.fcps 3$' "$fcps" study status hand.fcps
! grep -q 'study forecast' out || complain 'a forecast is suggested that would be refused'
for words in 'status hand.fcps' 'why hand.fcps 3' 'best hand.fcps --target x=1'; do
  "$fcps" study $words >out
  ! grep -q 'environment' out || complain "study $words shows an empty space: $(cat out)"
done
exit $failed
