# SPDX-License-Identifier: Apache-2.0
# A stored trial is not imported a second time, whoever told it. Trials that were really repeated are imported.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
cp "$FCPS_SOURCE_DIR"/examples/simulator/* .
new() { rm -f "$1" && "$fcps" study new "$1" --problem throw.yaml --seed 1001 >/dev/null; }
results() { "$fcps" study export "$1" | sed 1d | wc -l; }

# a study's own export adds nothing: asked, told without an ask, failed and dropped results
"$fcps" run throw.yaml --store e.fcps --episodes 6 --seed 1000 --quiet >out 2>err || complain "no run: $(cat err)"
"$fcps" study tell e.fcps --target x=2,y=4 --environment wind=0 --executed turn=10,speed=3 --outcome land_x=0.9,land_y=0.16 >out
"$fcps" study tell e.fcps --target x=2,y=4 --environment wind=0 --executed turn=11,speed=3 --failed slipped >out
"$fcps" study amend e.fcps --drop 2.1 >out
"$fcps" study export e.fcps -o e.csv
expect 0 'imported 0 results, skipped 8 that are stored already' "$fcps" study import e.fcps e.csv
grep -q 'fcps study import e.fcps e.csv --again' out || complain "not said how to import them: $(cat out)"
[ "$(results e.fcps)" -eq 8 ] || complain "results count twice: $(results e.fcps)"
# nor does the export without its targets, on which no outcome depends
expect 0 'imported 0 results, skipped 8' sh -c "'$fcps' study export e.fcps | cut -d , -f 2,5- >untargeted.csv; '$fcps' study import e.fcps untargeted.csv"
# with --again everything is imported, except dropped results
expect 0 'imported 7 results, skipped 1 that do not count' "$fcps" study import e.fcps e.csv --again
[ "$(results e.fcps)" -eq 15 ] || complain "--again adds something else: $(results e.fcps)"
# a row that differs in the last digit is another trial
new digit.fcps
printf 'x,y,wind,turn,speed,land_x,land_y\n1,1,0,30,5,4.3,2.5\n' >one.csv
sed 's/4\.3/4.3000000000000007/' one.csv >other.csv
expect 0 'imported 1' "$fcps" study import digit.fcps one.csv
expect 0 'imported 1' "$fcps" study import digit.fcps other.csv

# a row that stands twice is a repeated trial, also in a log that grows by it
printf 'x,y,wind,turn,speed,land_x,land_y\n1,1,0,30,5,4,2\n1,1,0,40,5,3,3\n1,1,0,30,5,4,2\n' >counts.csv
new counts.fcps
expect 0 'imported 3 results, skipped 0$' "$fcps" study import counts.fcps counts.csv
grep -q 'W_ROWS_REPEATED: counts.csv: 1 row equals an earlier one and is stored.*(line 4 as line 2)' err || complain "not questioned: $(cat err)"
echo '1,1,0,30,5,4,2' >>counts.csv
expect 0 'imported 1 result, skipped 3' "$fcps" study import counts.fcps counts.csv
grep -q 'fcps study import counts.fcps A-FILE-WITH-THESE-ROWS-ALONE.csv --again' out || complain "what was just stored would be stored again: $(cat out)"
for _ in 1 2 3 4 5 6; do echo '1,1,0,30,5,4,2'; done >>counts.csv
expect 0 'imported 6 results, skipped 4' "$fcps" study import counts.fcps counts.csv
expect 0 'imported 0 results, skipped 10' "$fcps" study import counts.fcps counts.csv
! grep -q W_ROWS_REPEATED err || complain "said of rows that were not stored: $(cat err)"

# a block that comes a second time was pasted twice
{ echo 'x,y,wind,turn,speed,land_x,land_y'; for i in 1 2 3 4; do echo "1,1,0,3$i,5,4.$i,2"; done; } >table.csv
{ cat table.csv; sed 1d table.csv; sed 1d table.csv; } >pasted.csv
new pasted.fcps
expect 0 'imported 4 results, skipped 8' "$fcps" study import pasted.fcps pasted.csv
grep -q 'W_ROWS_REPEATED: pasted.csv: 8 rows come a second time.*first lines 6 to 9, which repeat those from line 2 on.*--again' err || complain "not said: $(cat err)"
expect 0 'imported 12 results, skipped 0$' "$fcps" study import pasted.fcps pasted.csv --again
! grep -q W_ROWS_REPEATED err || complain "said of what is meant: $(cat err)"
# unless a column that is not read tells the rows apart
awk 'NR == 1 { print $0 ",day" } NR > 1 { print $0 "," NR }' pasted.csv >days.csv
new days.fcps
expect 0 'imported 12 results, skipped 0$' "$fcps" study import days.fcps days.csv
exit $failed
