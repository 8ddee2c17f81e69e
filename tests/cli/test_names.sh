# SPDX-License-Identifier: Apache-2.0
# A study is the same under all its names: paths that SQLite would interpret, links, files that are replaced in use, backup
# and restore, and a journal that a killed command left beside another file.
. "$(dirname "$0")/expect.sh"

cat >throw.yaml <<'YAML'
name: throw
target: {x: [0, 5]}
parameters: {speed: [0, 3]}
outcome: [land]
achieved: {x: land}
reward: -distance
contexts: uniform
learner: {name: random}
run: {command: [sh, simulate.sh], timeout_s: 30}
YAML
# waits while there is a file "wait", so that a test can do something during a trial
cat >simulate.sh <<'SH'
while read -r ask; do
  : >asked
  while [ -e wait ]; do sleep 0.02; done
  number=$(echo "$ask" | sed 's/.*"ask": *\([0-9]*\).*/\1/')
  echo "{\"ask\": $number, \"outcome\": {\"land\": $number}}"
done
SH
until_file() { n=0; while [ ! -e "$1" ] && [ $n -lt 500 ]; do sleep 0.02; n=$((n + 1)); done; }
count() { "$fcps" study export "$1" 2>/dev/null | sed 1d | grep -c . || true; }

# a name that SQLite would take for a database in memory, or for a URL of its own, is a file
for name in ':memory:' 'file:b?mode=memory'; do
  expect 0 'made' "$fcps" study new "$name" --problem throw.yaml
  [ -s "$name" ] || complain "$name is empty"
  expect 0 'speed' "$fcps" study ask "$name" --target x=1
  expect 0 'stored' "$fcps" study tell "$name" 1 --outcome land=1
  [ "$(count "$name")" = 1 ] || complain "$name has lost its result"
done
mkdir empty
(cd empty && cp ../throw.yaml ../simulate.sh . && "$fcps" run throw.yaml --episodes 3 --store :memory: >/dev/null 2>&1) ||
  complain 'a run into :memory: fails'
[ "$(count empty/:memory:)" = 3 ] || complain 'a run into the file :memory: has lost its results'

# the same command works again: over the remains of a killed one, and over a study that nobody has used since
mkdir res
for name in unfinished.fcps res/run.fcps; do
  : >$name
  echo rubbish >$name-unfinished
  echo rubbish >$name-lock
done
expect 0 'made' "$fcps" study new unfinished.fcps --problem throw.yaml
expect 0 'there is already' "$fcps" study new unfinished.fcps --problem throw.yaml
expect 4 'exists already' "$fcps" study new unfinished.fcps --problem throw.yaml --seed 2
expect 0 'speed' "$fcps" study ask unfinished.fcps --target x=1
expect 4 'exists already' "$fcps" study new unfinished.fcps --problem throw.yaml
expect 0 'episode' "$fcps" run cannon --learner random --episodes 2 --out res
: >unfinished2.fcps
expect 0 'episode' "$fcps" run throw.yaml --episodes 1 --store unfinished2.fcps

# a run holds its study under every name
start_run() { # episodes; ends with a trial under way
  : >wait
  rm -f asked
  "$fcps" run throw.yaml --episodes "$1" --store a.fcps >run.out 2>run.err &
  run=$!
  until_file asked
}
end_run() { rm -f wait; got=0; wait $run || got=$?; }
mkdir sub
"$fcps" study new a.fcps --problem throw.yaml >/dev/null
ln -s a.fcps soft.fcps
ln -s ../a.fcps sub/soft.fcps
start_run 2
for name in soft.fcps sub/../a.fcps "$PWD/a.fcps" sub/soft.fcps sqlite:a.fcps; do
  expect 5 'held by process' "$fcps" run throw.yaml --episodes 1 --store "$name"
done
expect 0 'rollouts' "$fcps" study status soft.fcps
end_run
[ $got -eq 0 ] || complain "the run that held its study ends with $got: $(cat run.err)"
[ ! -e soft.fcps-lock ] && [ ! -e sub/soft.fcps-lock ] || complain 'a lock lies beside a link'

# a study with hard links is read, but not written: a crash could be repaired under one name alone. A run that was there first
# continues
start_run 4
ln a.fcps hard.fcps
expect 4 'hard link' "$fcps" run throw.yaml --episodes 1 --store hard.fcps
expect 4 'hard link' "$fcps" study tell hard.fcps 3 --outcome land=1
expect 0 'rollouts' "$fcps" study status hard.fcps
expect 4 'hard link' "$fcps" study ask hard.fcps --target x=1
[ ! -e hard.fcps-reserve ] || complain 'a refused ask has left the space that was kept for it'
end_run
[ $got -eq 0 ] || complain "a hard link has ended a run with $got: $(cat run.err)"
rm hard.fcps

# the space kept for an unfinished ask is freed, also if the study was renamed meanwhile
"$fcps" study new old.fcps --problem throw.yaml >/dev/null
"$fcps" study ask old.fcps --target x=1 >/dev/null
[ -e old.fcps-reserve ] || complain 'no space is kept for an ask, so this test shows nothing'
cp old.fcps twin.fcps
"$fcps" study tell twin.fcps 1 --outcome land=1 >/dev/null
[ -e old.fcps-reserve ] || complain 'a copy has taken the space of the study that it was made of'
mv old.fcps new.fcps
printf precious >gone.fcps-reserve
expect 0 'stored' "$fcps" study tell new.fcps 1 --outcome land=1
[ ! -e old.fcps-reserve ] && [ ! -e new.fcps-reserve ] || complain 'space is kept under the old name of a study'
[ "$(cat gone.fcps-reserve)" = precious ] || complain 'a file that is not of this study was removed'
rm gone.fcps-reserve new.fcps twin.fcps

# a link that leads nowhere is named as one
ln -s loop.fcps loop.fcps
ln -s nowhere dangling.fcps
expect 2 'loop.fcps is a link that leads back to itself' "$fcps" run loop.fcps
expect 4 'loop.fcps is a link that leads back to itself' "$fcps" study status loop.fcps
expect 4 'leads back to itself' "$fcps" study new loop.fcps --problem throw.yaml
expect 4 'dangling.fcps is a link to nowhere, which cannot be reached' "$fcps" study status dangling.fcps
expect 4 'dangling.fcps is a link to a file that is not there' "$fcps" study new dangling.fcps --problem throw.yaml
rm loop.fcps dangling.fcps

# links beside the study are never written through
echo precious >precious
for end in lock reserve; do
  ln -s precious a.fcps-$end
  got=0
  "$fcps" run throw.yaml --episodes 6 --store a.fcps >out 2>err || got=$?
  [ $got -eq 4 ] && grep -q "a.fcps-$end.*link" err || complain "a link as a.fcps-$end: exit code $got: $(cat err)"
  [ "$(cat precious)" = precious ] || complain "a.fcps-$end was written through"
  rm -f a.fcps-$end
  ln precious a.fcps-$end
  "$fcps" run throw.yaml --episodes 6 --store a.fcps >out 2>err || true
  [ "$(cat precious)" = precious ] || complain "a.fcps-$end was written through its hard link"
  rm -f a.fcps-$end
done

# a file that is replaced during a run is noticed
"$fcps" study new a2.fcps --problem throw.yaml >/dev/null
mv a2.fcps a.fcps
cp a.fcps old.fcps
"$fcps" run throw.yaml --episodes 3 --store a.fcps >/dev/null 2>&1
start_run 6
cp old.fcps a.fcps
end_run
[ $got -eq 3 ] && grep -q 'was replaced by another file while it was in use' run.err ||
  complain "cp over a study in use: exit code $got: $(cat run.err)"
grep -q 'Records 1 to 7' run.err || complain "it is not said what is missing: $(cat run.err)"
[ "$(count a.fcps)" = 0 ] || complain 'there are orphan results'
cmp -s old.fcps a.fcps || complain 'something was written to the file that was put there'
start_run 2
cp old.fcps other.fcps
mv other.fcps a.fcps
end_run
[ $got -eq 3 ] && grep -q 'was saved as .*rescued' run.err || complain "mv over a study in use: exit code $got: $(cat run.err)"
set -- a.fcps.rescued-*
expect 0 '1 ask unfinished' "$fcps" study status "$1"
rm -f a.fcps.rescued-*
start_run 2
mv a.fcps away.fcps
end_run
[ $got -eq 3 ] && grep -q 'was removed or renamed' run.err || complain "mv of a study in use: exit code $got: $(cat run.err)"
mv away.fcps a.fcps
rm -f a.fcps-kept-*.json

# backup, also during a run, and restore
rm -f a.fcps-kept-*.json
expect 0 '3 episodes' "$fcps" run throw.yaml --episodes 3 --store a.fcps
start_run 5
expect 0 'copied a.fcps to b.fcps: 7 records' "$fcps" study backup a.fcps b.fcps
expect 5 'held by' "$fcps" study restore b.fcps a.fcps
end_run
[ $got -eq 0 ] || complain "a backup has ended a run with $got: $(cat run.err)"
[ "$(count b.fcps)" = 3 ] || complain 'the backup has not the results of its moment'
# --force replaces an older state of the same study, and nothing else
cp a.fcps before.fcps
expect 4 'has records that the copy would not have' "$fcps" study backup b.fcps a.fcps --force
cmp -s a.fcps before.fcps || complain 'a backup has replaced a newer study'
"$fcps" study new foreign.fcps --problem throw.yaml >/dev/null
expect 4 'is another study' "$fcps" study backup a.fcps foreign.fcps --force
cp b.fcps older.fcps
expect 0 'copied a.fcps to older.fcps' "$fcps" study backup a.fcps older.fcps --force
# names that belong to a study are refused, whichever command would make a study there
for end in journal lock reserve kept-1.json unfinished; do
  expect 2 'fcps itself uses' "$fcps" study backup a.fcps a.fcps-$end
  expect 2 'fcps itself uses' "$fcps" study restore b.fcps a.fcps-$end
  expect 2 'fcps itself uses' "$fcps" study new a.fcps-$end --problem throw.yaml
done
expect 4 'exists already' "$fcps" study backup a.fcps b.fcps
expect 0 'copied' "$fcps" study backup a.fcps b.fcps --force
[ "$(count b.fcps)" = 5 ] || complain 'a backup was not replaced'
ln a.fcps hard.fcps
for name in a.fcps soft.fcps hard.fcps sub/../a.fcps; do
  expect 2 'same file' "$fcps" study backup a.fcps "$name" --force
done
rm hard.fcps
expect 2 'not a study' "$fcps" study backup a.fcps precious --force
expect 2 'not a study' "$fcps" study restore b.fcps precious
expect 3 'damaged or not a study' "$fcps" study restore precious a.fcps
[ "$(cat precious)" = precious ] || complain 'a backup has replaced something else'
[ "$(count a.fcps)" = 5 ] || complain 'a refused backup has changed the study'
"$fcps" run throw.yaml --episodes 7 --store a.fcps >/dev/null 2>&1
expect 0 'the study that was there is now .*a.fcps.before-restore' "$fcps" study restore b.fcps soft.fcps
[ "$(count a.fcps)" = 5 ] || complain 'a restored study has not the results of the backup'
set -- a.fcps.before-restore-*
[ "$(count "$1")" = 7 ] || complain 'the study before a restore is lost'
expect 0 'restored fresh.fcps' "$fcps" study restore b.fcps fresh.fcps
[ "$(count fresh.fcps)" = 5 ] || complain 'a study was not restored where none was'
cp foreign.fcps foreign-before.fcps
expect 4 'is another study than b.fcps.*--force' "$fcps" study restore b.fcps foreign.fcps
cmp -s foreign.fcps foreign-before.fcps || complain 'a refused restore has changed another study'
expect 0 'the study that was there is now' "$fcps" study restore b.fcps foreign.fcps --force
expect 4 'nope.fcps' "$fcps" study restore nope.fcps fresh.fcps
expect 2 'memory' "$fcps" study backup memory: b2.fcps
# a run holds the file itself: a new name, or a deleted lock file, lets no second program start
start_run 40
mv a.fcps away.fcps
expect 5 'held by a run that began under another name' "$fcps" run throw.yaml --episodes 40 --store away.fcps
end_run
mv away.fcps a.fcps
rm -f a.fcps-kept-*.json
start_run 40
rm -f a.fcps-lock
expect 5 'whose lock file was deleted' "$fcps" run throw.yaml --episodes 40 --store a.fcps
end_run

ls ./*.fcps-unfinished* ./*.fcps-lock 2>/dev/null && complain 'something is left over'

exit $failed
