# SPDX-License-Identifier: Apache-2.0
# Old logs: without targets, from spreadsheets, with names that are only similar to those of the study.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
cp "$FCPS_SOURCE_DIR"/examples/simulator/throw.yaml .
new() { rm -f old.fcps && "$fcps" study new old.fcps --problem throw.yaml >/dev/null; }
values() { "$fcps" study export old.fcps | cut -d , -f 3-9; }

# the log has outcomes, but not what was wanted
printf 'wind,turn,speed,land_x,land_y\n0.5,30,5.5,2.7,1.5\n0,60,7,2.5,4.3\n' >plain.csv
new
expect 0 'imported 2' "$fcps" study import old.fcps plain.csv
grep -q 'W_NO_TARGET: plain.csv has no column of a target' err || complain "not said: $(cat err)"
values >plain
grep -qx '0,0,0.5,30,5.5,2.7,1.5' plain || complain "the middle of the targets is not stored: $(cat plain)"
expect 0 'imported 0 results, skipped 2' "$fcps" study import old.fcps plain.csv
expect 0 '^reward  *too few results to predict it: 3 more are needed' "$fcps" study best old.fcps --target x=2,y=4 --environment wind=0
! grep -q '+-\|deviation' out || complain "numbers that mean nothing yet are shown: $(cat out)"
expect 0 '"lacking_results":3' "$fcps" study best old.fcps --target x=2,y=4 --environment wind=0 --json
expect 0 '^policy  *too few results to predict its reward: 3 more are needed' "$fcps" study status old.fcps
! grep -q '+-\|predicted reward' out || complain "numbers that mean nothing yet are shown: $(cat out)"
expect 0 '"rewards":\[[-0-9.]*,[-0-9.]*\]' "$fcps" study status old.fcps --json
printf 'x,y,wind\n2,4,0\n' >ask.csv
expect 0 'W_FEW_RESULTS' "$fcps" retarget old.fcps ask.csv
expect 0 '^rewards  *best -[0-9.]*, mean of the last 2 -[0-9.]*, for the middle of the targets' "$fcps" study status old.fcps
# assumed targets are no part of the learning curve once there are real ones
cp old.fcps aims.fcps
"$fcps" study tell aims.fcps --target x=2,y=4 --environment wind=0 --executed turn=10,speed=3 --outcome land_x=0.9,land_y=0.16 >/dev/null
expect 0 '"rewards":\[[-0-9.]*\]' "$fcps" study status aims.fcps --json
expect 0 '^rewards  *best .*, mean of the last 1 .*; 2 results that came without a target are left out$' "$fcps" study status aims.fcps
expect 0 'amended' "$fcps" study amend aims.fcps --drop 1
expect 0 '^rewards  *best .*; 1 result that came without a target is left out$' "$fcps" study status aims.fcps
expect 0 'stored' "$fcps" study tell old.fcps --environment wind=0 --executed turn=10,speed=3 --outcome land_x=0.9,land_y=0.16
grep -q 'W_NO_TARGET' err || complain "tell does not say it: $(cat err)"

# half of a target, and told rewards, are refused
printf 'x,wind,turn,speed,land_x,land_y\n1,0.5,30,5.5,2.7,1.5\n' >half.csv
expect 2 "there is no column 'y'" "$fcps" study import old.fcps half.csv
sed 's/^reward:.*/reward: told/; s/^achieved.*//; s/name: outcome/name: bo-cps/' throw.yaml >told.yaml
"$fcps" study new told.fcps --problem told.yaml >/dev/null
printf 'wind,turn,speed,land_x,land_y,reward\n0.5,30,5.5,2.7,1.5,-1\n' >told.csv
expect 2 "there is no column 'x'" "$fcps" study import told.fcps told.csv

# semicolons with decimal commas, tabs, a byte order mark, CRLF
new
printf '\357\273\277wind;turn;speed;land_x;land_y\r\n0,5;30;5,5;2,7;1,5\r\n0;60;7;2,5;4,3\r\n' >german.csv
expect 0 'imported 2' "$fcps" study import old.fcps german.csv
values | cmp -s - plain || complain "semicolons give other numbers: $(values)"
new
printf 'wind\tturn\tspeed\tland_x\tland_y\n0.5\t30\t5.5\t2.7\t1.5\n0\t60\t7\t2.5\t4.3\n' >tabs.csv
expect 0 'imported 2' "$fcps" study import old.fcps tabs.csv
values | cmp -s - plain || complain "tabs give other numbers: $(values)"
printf 'wind;turn;speed;land_x;land_y\n0,5;30;5,5;1.234,5;1,5\n' >both.csv
expect 2 'both.csv:2: land_x: "1.234,5" is not a number' "$fcps" study import old.fcps both.csv
# points that may mean thousands, beside decimal commas: nobody can tell 1060 from 1.06, so nothing is stored
printf 'wind;turn;speed;land_x;land_y\n0,5;30;5,5;885;1,5\n0,5;31;5,5;1.060;1,5\n' >thousands.csv
expect 2 "thousands.csv:3: land_x: does \"1.060\" mean 1060" "$fcps" study import old.fcps thousands.csv
printf 'x;y;wind\n1,5;1.060;0,25\n' >thousands.csv
expect 2 'thousands.csv:2: y: does "1.060" mean 1060' "$fcps" retarget old.fcps thousands.csv
printf 'wind,turn,speed,land_x,land_y\n"0,5",30,5.5,2.7,1.5\n' >quoted.csv
expect 2 'write its comma as a point' "$fcps" study import old.fcps quoted.csv

# columns with a unit behind their names: the unit is that of the dimension, and nothing is converted
cat >heat.yaml <<'YAML'
name: heat
target: {want: [1, 4]}
environment: {room: {range: [10, 30], unit: degC}}
parameters: {heat: {range: [0, 100], unit: W}, mix: [0, 1]}
outcome: {visc: {unit: Pa s}, peak: {}}
reward: -abs(visc - want)
YAML
"$fcps" study new heat.fcps --problem heat.yaml >/dev/null
heat() { printf '%s\n%s\n' "$1" "${2:-2,20,50,0.5,3,70}" >heat.csv; }
heat 'want,room [degC],heat(W),mix,visc (Pa s),peak [bar]'
expect 0 'imported 1' "$fcps" study import heat.fcps heat.csv
! grep -q W_COLUMN err || complain "a column with its unit is called unknown: $(cat err)"
heat 'want,room [°C],heat [ W ],mix [],visc,peak,visc_sd [Pa s],peak_sd' '2,21,50,0.5,3,70,0.1,2'
expect 0 'imported 1' "$fcps" study import heat.fcps heat.csv
grep -q '"outcome_sd":{"visc":0.1' <<END || complain 'a deviation with its unit is not read'
$("$fcps" study log heat.fcps --json)
END
heat 'room (degC),heat,mix,visc,peak' '22,50,0.5,3,70'
expect 0 'W_NO_TARGET' "$fcps" study import heat.fcps heat.csv
for header in 'room [K]' 'room [cup]'; do
  heat "want,$header,heat,mix,visc,peak"
  expect 2 "heat.csv:1: room: the column 'room .*' is in .*, and room is in degC: nothing is converted. .*'room \[degC\]'" \
    "$fcps" study import heat.fcps heat.csv
done
heat 'want,room,heat,mix,visc,peak,visc_sd [mPa s],peak_sd' '2,21,50,0.5,3,70,0.1,2'
expect 2 "visc_sd: the column .* is in mPa s, and visc_sd is in Pa s" "$fcps" study import heat.fcps heat.csv
heat 'want,room,heat [W],heat (W),mix,visc,peak' '2,20,50,60,0.5,3,70'
expect 2 "columns 'heat \[W\]' and 'heat (W)' are both of heat" "$fcps" study import heat.fcps heat.csv
# all missing columns are named at once
heat 'Want,Room temp,Heat,mx,viscosity,note'
expect 2 "no column 'want', 'room', 'heat', 'mix', 'visc', 'peak'\|no column 'room', 'heat', 'mix', 'visc', 'peak'" "$fcps" study import heat.fcps heat.csv
grep -q "Rename column .*'Room temp' to room, 'Heat' to heat, 'mx' to mix, 'viscosity' to visc if they are meant" err ||
  complain "not named at once: $(cat err)"
heat 'want,b,c,d,e,f'
expect 2 "no column 'room', 'heat', 'mix', 'visc', 'peak'; .* No dimension has the column 'b', 'c', 'd', 'e', 'f'" "$fcps" study import heat.fcps heat.csv
# marks for a missing number
heat 'want,room,heat,mix,visc,peak' '2,20,50,0.5,n/a,70'
expect 2 'visc: "n/a" is not a number; write nan for a number that was not measured' "$fcps" study import heat.fcps heat.csv
sed -i 's|n/a||' heat.csv
expect 2 'visc: the cell is empty; a number is needed; write nan' "$fcps" study import heat.fcps heat.csv
sed -i 's|,,|,nan,|' heat.csv
expect 0 'W_REWARD_NOT_FINITE' "$fcps" study import heat.fcps heat.csv
heat 'want,room,heat,mix,visc,peak' '2,-,50,0.5,3,70'
expect 2 'room: "-" is not a number; every trial needs one: fill the cell in, or take the row out' "$fcps" study import heat.fcps heat.csv
printf '2,20,x,0.5,3,70\n2,21,60,0.5,3,70\n2,22,60,0.5,,70\n' >>heat.csv
expect 2 'heat.csv:2: room: .* 2 more rows cannot be read, the next in line 3' "$fcps" study import heat.fcps heat.csv
heat 'want,room,heat,mix,visc,peak' ',20,51,0.5,3,70'
echo '3,20,52,0.5,3,70' >>heat.csv
expect 0 'W_NO_TARGET: heat.csv: 1 row has no target' "$fcps" study import heat.fcps heat.csv
grep -q 'imported 2' out || complain "a row without a target is not stored: $(cat out)"
# two columns that were swapped
cat >swap.yaml <<'YAML'
name: swap
parameters: {heat: {range: [800, 3000], unit: W}, time: {range: [5, 20], unit: min}}
outcome: [o]
reward: o
YAML
"$fcps" study new swap.fcps --problem swap.yaml >/dev/null
printf 'heat,time,o\n7,900,1\n9,1200,2\n6.5,2000,3\n' >swap.csv
expect 0 'parameters.heat: 3 of 3 .* Are the columns of heat and time swapped? Each would be inside the bounds of the other' "$fcps" study import swap.fcps swap.csv
grep -q 'parameters.heat: .*If they are a mistake: fcps study amend swap.fcps --drop 1-3$' err || complain "not said how to take them out: $(cat err)"
expect 0 'amended' "$fcps" study amend swap.fcps --drop 1-3
# one number in another unit; a number that is only a little outside is not
expect 0 'parameters.heat: 2.5 .*Is the unit wrong? Multiplied by 1000 it would be inside' "$fcps" study tell swap.fcps --executed heat=2.5,time=7 --outcome o=1
expect 0 'stored' "$fcps" study tell swap.fcps --executed heat=3100,time=7 --outcome o=1
grep -q 'W_OUTSIDE_BOUNDS' err && ! grep -q 'Is the unit wrong' err || complain "a unit is guessed: $(cat err)"
# a product too large for any bounds is not inside
expect 0 'stored' "$fcps" study tell swap.fcps --executed heat=1e99,time=7 --outcome o=1
grep -q 'W_OUTSIDE_BOUNDS' err && ! grep -q 'Is the unit wrong' err || complain "a unit is guessed: $(cat err)"
# contexts are read the same way
printf 'want,room [°C],note\n2,20,a\n3,25,b\n' >contexts.csv
expect 0 '^want,room \[°C\],note,heat,mix,predicted_reward' "$fcps" retarget heat.fcps contexts.csv
expect 0 'room=25 degC' "$fcps" study ask heat.fcps --contexts contexts.csv
printf 'want,room [K]\n2,293\n' >contexts.csv
expect 2 'is in K, and room is in degC' "$fcps" retarget heat.fcps contexts.csv
printf 'want,room\n2,n/a\n' >contexts.csv
expect 2 'every context needs one' "$fcps" retarget heat.fcps contexts.csv
printf 'a,b\n2,3\n' >contexts.csv
expect 2 "no column 'want', 'room'; each target and environment dimension needs one" "$fcps" study ask heat.fcps --contexts contexts.csv

# rows that are not measured yet look like trials without an outcome, so they are stored and named
new
printf 'wind,turn,speed,land_x,land_y\n0.5,30,5.5,2.7,1.5\n0,60,7,,\n0.5,31,5.5,2.8,1.5\n0,61,7,,\n0,62,7,,\n' >blank.csv
expect 0 'W_NO_OUTCOME: blank.csv: lines 3, 5, 6: the cells of the outcome are empty.*fcps study amend old.fcps --drop 2,4-5)' "$fcps" study import old.fcps blank.csv
grep -q 'imported 5' out || complain "rows are lost: $(cat out)"
expect 0 'amended' "$fcps" study amend old.fcps --drop 2,4-5
sed -i 's/^0,60,7,,/0,60,7,2.5,4.3/' blank.csv
expect 0 '3 results: 3 with an outcome, 0 without, 0 failed' sh -c "'$fcps' study import old.fcps blank.csv && '$fcps' study status old.fcps"
printf 'wind,turn,speed,land_x,land_y,status\n0,60,7,,,no outcome\n0,61,7,,,failed\n' >meant.csv
new
expect 0 'imported 2' "$fcps" study import old.fcps meant.csv
! grep -q W_NO_OUTCOME err || complain "what is said to have no outcome is questioned: $(cat err)"

# values that are not numbers are stored, kept out of the model, and reported as by `tell`
new
printf 'wind,turn,speed,land_x,land_y\n0.5,30,5.5,2.7,1.5\n0,60,7,nan,4.3\n0,61,7,2.5,inf\n' >broken.csv
expect 0 'W_REWARD_NOT_FINITE: 2 of the 3 imported results cannot be used.*the first is [0-9]* (outcome "land_x" is nan)' "$fcps" study import old.fcps broken.csv
grep -q 'fcps study amend old.fcps --drop [0-9]*,[0-9]*$' err || complain "not said how to take them out: $(cat err)"
new
expect 0 'imported 1 result, skipped 0' sh -c "head -2 plain.csv >one.csv && '$fcps' study import old.fcps one.csv"
! grep -q W_REWARD_NOT_FINITE err || complain "finite numbers are called others: $(cat err)"

# additions of spreadsheets: an empty row of separators, the separator in a line of its own, old line ends
for made in "$(cat plain.csv; echo ,,,,)" "$(echo 'sep=;'; tr , ';' <plain.csv)" "$(tr '\n' '\r' <plain.csv)"; do
  new
  printf %s "$made" >sheet.csv
  expect 0 'imported 2' "$fcps" study import old.fcps sheet.csv
  values | cmp -s - plain || complain "other numbers: $(values)"
done

# the message about missing targets counts only stored rows
new
printf 'wind,turn,speed,land_x,land_y\n0,60,fast,2.5,4.3\n' >refused.csv
expect 2 'is not a number' "$fcps" study import old.fcps refused.csv
! grep -q W_NO_TARGET err || complain "said of rows that were refused: $(cat err)"
head -1 plain.csv >header.csv
expect 0 'imported 0' "$fcps" study import old.fcps header.csv
! grep -q W_NO_TARGET err || complain "said of a file without a row: $(cat err)"

# a file that is not a CSV is refused by name
printf '\377\376w\0i\0n\0d\0' >utf16.csv
expect 2 'UTF-16; save it as CSV in UTF-8' "$fcps" study import old.fcps utf16.csv
printf 'PK\003\004\024\000\006\000' >book.csv
expect 2 'a spreadsheet (.xlsx or .ods); export it as CSV' "$fcps" study import old.fcps book.csv
sed 's/speed/sped/' plain.csv >near.csv
expect 2 "there is no column 'speed'" "$fcps" study import old.fcps near.csv

# a whole column in another unit is one line, which asks for the unit; status says it again
sed 's/^environment:.*/environment: {wind: [20, 80]}/' throw.yaml >percent.yaml
rm -f old.fcps && "$fcps" study new old.fcps --problem percent.yaml >/dev/null
{ echo wind,turn,speed,land_x,land_y; for i in 3 4 5 6 7; do echo "0.${i}6,3$i,5.5,2.$i,1.5"; done; } >fraction.csv
expect 0 'W_OUTSIDE_BOUNDS: environment.wind: 5 of 5 results lie outside \[20, 80\]: 0.36 to 0.76.*Is the unit wrong? Multiplied by 100 it would be inside' \
  "$fcps" study import old.fcps fraction.csv
[ "$(grep -c W_OUTSIDE_BOUNDS err)" -eq 1 ] || complain "said for each row: $(cat err)"
expect 0 'W_OUTSIDE_BOUNDS: environment.wind: 5 of 5 results lie outside .*Multiplied by 100 ' "$fcps" study status old.fcps
sed -i 's/^0\.36/300/; s/^0\./40./' fraction.csv
rm -f old.fcps && "$fcps" study new old.fcps --problem percent.yaml >/dev/null
expect 0 'W_OUTSIDE_BOUNDS: environment.wind: 300 lies outside .* --drop [0-9]' "$fcps" study import old.fcps fraction.csv
expect 0 '5 results' "$fcps" study status old.fcps
! grep -q W_OUTSIDE_BOUNDS err || complain "one number is said again: $(cat err)"

# contexts are read in the same way
printf 'x;y;wind\n-1,5;2;0,25\n' >contexts.csv
expect 0 '^-1,5;2;0,25;[0-9]*,[0-9]*;' "$fcps" retarget old.fcps contexts.csv
grep -q '^x;y;wind;turn;speed;predicted_reward;' out || complain "the header has another separator: $(cat out)"
! grep -q '\.' out || complain "two decimal marks in one file: $(cat out)"
cp out answer.csv
expect 0 '^-1,5;2;0,25;' "$fcps" retarget old.fcps answer.csv
! grep -q W_COLUMN_REPLACED err || complain "an earlier answer is warned of: $(cat err)"
# a column with the name of a parameter, which is not from an earlier answer
printf 'id,x,y,wind,speed\n7,-1.5,2,0.25,99\n' >named.csv
expect 0 '^7,-1.5,2,0.25,' "$fcps" retarget old.fcps named.csv
grep -q 'W_COLUMN_REPLACED: named.csv .* which replace them: speed. Rename' err || complain "a column is lost in silence: $(cat err)"
printf 'x\ty\twind\n1.5\t2\t0.25\n' >contexts.csv
expect 0 "^1.5$(printf '\t')2$(printf '\t')0.25$(printf '\t')[0-9]*\.[0-9]*" "$fcps" retarget old.fcps contexts.csv
# the answer goes to a file that is not one of the inputs
"$fcps" retarget old.fcps contexts.csv -o answer.csv 2>/dev/null || complain 'retarget writes no file'
cmp -s out answer.csv || complain "the file has something else: $(cat answer.csv)"
expect 2 'is read by this command' "$fcps" retarget old.fcps contexts.csv -o contexts.csv

exit $failed
