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
expect 0 '^ask 1 is expected to earn .*, while the best known choice is expected to earn ' row why 1
grep -q '^it teaches  *land_x: +- ' out || complain "no lesson: $(cat out)"
grep -q '^it rests on  *[0-9.]* ([0-9]* %): turn=' out || complain "nobody speaks for it: $(cat out)"
expect 0 '^after 4 more trials the policy will earn about ' row forecast --trials 4
[ "$(grep -c '^[0-9]  *-' out)" -eq 5 ] || complain "not a line for each trial: $(cat out)"
expect 0 '^side by side  *2 robots need the time of 2 trials, 50 % less' row forecast --trials 4 --parallel 2
expect 0 'matters most to the reward' row explain
grep -q '^best parameters  *along x from -8 to 8: turn ' out || complain "no choices: $(cat out)"
if command -v gnuplot >/dev/null; then
  expect 0 'matters most' row explain --points 5 --figure slices.svg
  grep -q 'best speed along wind' slices.svg || complain 'the figure lacks a panel'
fi
expect 2 'slices.pdf' row explain --figure slices.pdf
exit $failed
