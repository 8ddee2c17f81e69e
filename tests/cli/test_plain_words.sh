# SPDX-License-Identifier: Apache-2.0
# Typical errors of a first day: each answer names what was meant, and saying something twice does no harm.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
cp "$FCPS_SOURCE_DIR"/examples/simulator/throw.yaml .

# making a study twice changes nothing, and the command says so
expect 0 '^made t.fcps: throw' "$fcps" study new t.fcps --problem throw.yaml --seed 1000
expect 0 '^nothing to do, there is already t.fcps: throw' "$fcps" study new t.fcps --problem throw.yaml --seed 1000

# a refused ask leaves no file behind, and the space kept for another ask stays
expect 2 'target.x: 100 lies outside' "$fcps" study ask t.fcps --target x=100,y=4 --environment wind=0
[ ! -e t.fcps-reserve ] || complain 'a refused ask keeps space for its result'
expect 0 'ask 1' "$fcps" study ask t.fcps --target x=1,y=4 --environment wind=0
expect 2 'lies outside' "$fcps" study ask t.fcps --target x=100,y=4 --environment wind=0
[ -e t.fcps-reserve ] || complain 'a refused ask has taken the space of another'
expect 0 'stored' "$fcps" study tell t.fcps 1 --outcome land_x=1,land_y=1

# a name of another space, a command of studies, an ask in place of a result
expect 2 '"wind" is an environment: give it with --environment' "$fcps" study best t.fcps --target x=1,y=2,wind=0
expect 2 '"x" is a target: give it with --target' "$fcps" study ask t.fcps --target x=1,y=2 --environment wind=0,x=1
expect 2 '"sped"; did you mean speed' "$fcps" study tell t.fcps --target x=1,y=2 --environment wind=0 --executed turn=1,sped=2 --failed slipped
expect 2 'did you mean fcps study status?' "$fcps" staus t.fcps
expect 2 'did you mean serve?' "$fcps" srve t.fcps
for i in 2 3; do
  "$fcps" study ask t.fcps --target x=1,y=4 --environment wind=0 >out
  "$fcps" study tell t.fcps $i --outcome land_x=1.$i,land_y=1 >out 2>err
done
expect 2 "there is no result 3; the result of ask 3 is called 3.1" "$fcps" study amend t.fcps --drop 3

# columns with their units
printf 'x,y,Wind (m/s),turn,Speed [m/s],land_x,land_y\n1,1,0,30,5,4,2\n' >head.csv
expect 2 "no column 'wind', 'speed';.*Rename column 'Wind (m/s)' to wind, 'Speed \[m/s\]' to speed if they are meant" \
  "$fcps" study import t.fcps head.csv
sed -i '1 s/Wind (m.s)/wind/' head.csv
expect 2 "no column 'speed'.*Rename column 'Speed \[m/s\]' to speed if it is meant" "$fcps" study import t.fcps head.csv
sed -i '1 s/Speed/speed/' head.csv
expect 0 'imported 1 result' "$fcps" study import t.fcps head.csv

# a text is not called a damaged study
echo 'Dear diary' >diary.txt
expect 2 'diary.txt: is not a study' "$fcps" study status diary.txt
! grep -q 'damaged\|repair' err || complain "a text is called damaged: $(cat err)"

# dropping twice does no harm; dropping a result that does not exist is a mistake
expect 2 'no result of the kind "failed" counts' "$fcps" study amend t.fcps --drop failed
expect 0 'stored' "$fcps" study tell t.fcps --target x=1,y=2 --environment wind=0 --executed turn=1,speed=2 --failed slipped
expect 0 'dropped 1 result;' "$fcps" study amend t.fcps --drop failed
expect 0 'dropped 0 results;' "$fcps" study amend t.fcps --drop failed

# a folder that cannot be written
mkdir shut
cp t.fcps throw.yaml shut
cp "$FCPS_SOURCE_DIR"/examples/simulator/simulate.py shut
if [ "$(id -u)" -eq 0 ]; then
  other='setpriv --reuid 65534 --regid 65534 --clear-groups'
  chmod 755 "$folder"
else
  other=env
fi
chmod 555 shut
if $other "$fcps" --version >/dev/null 2>&1; then
  # shellcheck disable=SC2086
  expect 4 'the folder .*shut cannot be written (Permission denied)' $other "$fcps" run shut/throw.yaml --store shut/t.fcps --episodes 9 --no-figure
fi
chmod 755 shut
exit $failed
