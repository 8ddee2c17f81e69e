# SPDX-License-Identifier: Apache-2.0
# Several asks at once as a user meets them: --count and --contexts of `fcps study ask`, what they print, what they
# refuse, and that they store all asks or none.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

cat >throw.yaml <<'YAML'
name: throw
target: {x: [0, 5]}
environment: {wind: [-1, 1]}
parameters: {speed: [0, 3], tilt: [0, 1.5]}
outcome: [land]
achieved: {x: land}
reward: "-distance - 0.05*speed^2"
learner: {name: outcome}
YAML
for study in throw single; do
  "$fcps" study new $study.fcps --problem throw.yaml >/dev/null
done
# unfinished COUNT: how many asks wait for their result
unfinished() { expect 0 "\"pending\":$1," "$fcps" study status throw.fcps --json; }
ask() { "$fcps" study ask throw.fcps "$@"; }

# one context: as many asks as wanted, each with its number
expect 0 'ask 3' ask --target x=2 --environment wind=0.5 --count 3
[ "$(grep -c '^ask [123]$' out)" -eq 3 ] || complain "not three asks: $(cat out)"
[ "$(grep -c 'wind=0.5' out)" -eq 3 ] || complain "not the context that was given: $(cat out)"
[ "$(grep 'parameters' out | sort -u | wc -l)" -eq 3 ] || complain "asks are equal: $(cat out)"
cp out at-once
unfinished 3

# the same one after the other: the same bytes
for i in 1 2 3; do
  "$fcps" study ask single.fcps --target x=2 --environment wind=0.5
done >one-by-one
cmp -s at-once one-by-one || complain "one by one they differ: $(diff at-once one-by-one)"

# one ask per row, columns in any order, others ignored
printf 'note,wind,x\na,0.25,1\nb,-0.5,4\n' >contexts.csv
expect 0 '{"asks":\[{"ask":4,"target":{"x":1.0},"environment":{"wind":0.25},.*},{"ask":5,"target":{"x":4.0},"environment":{"wind":-0.5},.*"repeated":false,.*}\]}' \
  ask --contexts contexts.csv --json
expect 0 '{"asks":\[{"ask":6,' ask --target x=2 --environment wind=0.5 --count 1 --json
unfinished 6

# results in any order, and an ask given up
expect 0 'ask 5' "$fcps" study tell throw.fcps 5 --outcome land=2
expect 0 'ask 1' "$fcps" study tell throw.fcps 1 --outcome land=1
expect 0 'forgot ask 3' "$fcps" study forget throw.fcps 3
unfinished 3

# a bad row is named by line and column, and nothing is stored
printf 'x,wind\n1,0\n2,9\n' >bad.csv
expect 2 'bad.csv:3: environment.wind: 9 lies outside' ask --contexts bad.csv
printf 'x,wind\n1,0\n2,calm\n' >bad.csv
expect 2 'bad.csv:3: wind: "calm" is not a number' ask --contexts bad.csv
printf 'x,wind\n1,0\n2\n' >bad.csv
expect 2 'bad.csv:3' ask --contexts bad.csv
printf 'x\n1\n' >bad.csv
expect 2 'bad.csv:1: wind: there is no column .wind' ask --contexts bad.csv
printf 'x,wind\n' >bad.csv
expect 2 'bad.csv:1: contexts: the file has 0 rows' ask --contexts bad.csv
expect 4 'missing.csv' ask --contexts missing.csv
expect 2 'target.x' ask --target x=7 --environment wind=0 --count 2
expect 2 'wind is missing' ask --target x=1 --count 2
unfinished 3

# what contradicts itself
expect 2 'one of --count and --contexts' ask --contexts contexts.csv --count 2
expect 2 'leave out --target' ask --contexts contexts.csv --target x=1
expect 2 'from 1 to 10000' ask --target x=1 --environment wind=0 --count 0
expect 2 'from 1 to 10000' ask --target x=1 --environment wind=0 --count 10001
for count in -1 abc 99999999999999999999; do
  expect 2 "count: .*$count" ask --target x=1 --environment wind=0 --count "$count"
done
expect 2 'a shell takes one ask' ask --target x=1 --environment wind=0 --count 2 --shell
expect 2 'no such option' "$fcps" study choose throw.fcps --count 2
unfinished 3

# several asks of one client belong to robot, robot/2, ..., and come again
expect 0 '"client":"robot/2"' ask --target x=1 --environment wind=0 --count 2 --client robot --json
cp out first
expect 0 '"repeated":true' ask --target x=1 --environment wind=0 --count 2 --client robot --json
[ "$(sed 's/"repeated":true/"repeated":false/g' out)" = "$(cat first)" ] || complain "other asks the second time: $(cat out)"
unfinished 5
exit $failed
