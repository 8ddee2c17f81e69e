# SPDX-License-Identifier: Apache-2.0
# A study that a disk, another program or a stranger has changed, as a user meets it: which commands refuse it, with which
# words, and what a repair saves.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

cat >throw.yaml <<'YAML'
target: {x: [0, 5]}
parameters: {speed: [0, 3]}
outcome: [land]
achieved: {x: land}
reward: -distance
learner: {name: random}
YAML

# change FILE SQL: changes a study as another program would
change() {
  cp whole.fcps "$1"
  python3 - "$1" "$2" <<'PYTHON'
import sqlite3, sys
study = sqlite3.connect(sys.argv[1])
study.executescript(sys.argv[2])
study.commit()
PYTHON
}

"$fcps" study new whole.fcps --problem throw.yaml >out
for i in 1 2 3 4 5; do
  "$fcps" study ask whole.fcps --target x=$i >out
  "$fcps" study tell whole.fcps $i --outcome land=0.$i >out
done
"$fcps" study log whole.fcps >whole.log

# one number in one result: every command refuses it by its number, and a repair saves the others
change number.fcps 'UPDATE journal SET time_ms = time_ms + 1 WHERE sequence = 6'
for command in log status export; do
  expect 3 'record 6 of number.fcps was changed after it was written.*study repair number.fcps' \
    "$fcps" study $command number.fcps
done
expect 3 'record 6 of number.fcps' "$fcps" study best number.fcps --target x=1
expect 3 'record 6 of number.fcps' "$fcps" study ask number.fcps --target x=1
expect 0 '^saved 9 records of number.fcps in saved.fcps; lost 1 record: 6$' "$fcps" study repair number.fcps --to saved.fcps
expect 0 'W_RECORDS_LOST: 1 record: 6' "$fcps" study log saved.fcps
expect 0 '4 results: 4 with an outcome, 0 without, 0 failed' "$fcps" study status saved.fcps
expect 0 'ask 6' "$fcps" study ask saved.fcps --target x=1
expect 0 'stored' "$fcps" study tell saved.fcps 6 --outcome land=1

# a record that is missing
change gap.fcps 'DELETE FROM journal WHERE sequence = 4'
expect 3 'gap.fcps has lost records: the next one after 3 is 5' "$fcps" study log gap.fcps
expect 0 'lost 1 record: 4$' "$fcps" study repair gap.fcps --to from-gap.fcps
expect 0 '4 results: 4 with an outcome, 0 without, 0 failed' "$fcps" study status from-gap.fcps

# the stored problem is damaged: the user's file is not blamed
change problem.fcps "UPDATE texts SET text = replace(text, 'target', 'tarfet') WHERE key = 'problem'"
expect 3 'the stored problem of problem.fcps was changed after it was written.*study repair' \
  "$fcps" study status problem.fcps
! grep -q 'yaml' err || complain "the user's file is blamed for a change of the study: $(cat err)"

# a repair fails if it saves nothing, or loses an essential part of the study
sed 's/TABLE journal(/TBBLE journal(/' whole.fcps >schema.fcps
expect 3 'none of the records of schema.fcps could be read' "$fcps" study repair schema.fcps --to from-schema.fcps
expect 3 'cannot be opened as a study' "$fcps" study repair problem.fcps --to from-problem.fcps

# triggers and the like that a stranger adds to a file are not run
change trigger.fcps 'CREATE TRIGGER t AFTER INSERT ON journal WHEN new.kind = 2 BEGIN DELETE FROM journal WHERE sequence = new.sequence; END'
expect 3 'fcps does not make' "$fcps" study ask trigger.fcps --target x=1
expect 0 '^saved 10 records of trigger.fcps in plain.fcps$' "$fcps" study repair trigger.fcps --to plain.fcps
"$fcps" study log plain.fcps | cmp - whole.log || complain 'a repair without damage changed the log'

# formats that are not ours
change newer.fcps 'PRAGMA user_version = 3'
for command in log status export; do
  expect 2 'newer fcps (format 3' "$fcps" study $command newer.fcps
done
expect 2 'newer fcps (format 3' "$fcps" study repair newer.fcps --to from-newer.fcps
[ ! -e from-newer.fcps ] || complain 'a repair of a newer format left a file'
change zero.fcps 'PRAGMA user_version = 0'
expect 3 'the head of the file was changed' "$fcps" study log zero.fcps
! grep -q newer err || complain 'format 0 is called newer'
expect 0 '^saved 10 records' "$fcps" study repair zero.fcps --to from-zero.fcps
exit $failed
