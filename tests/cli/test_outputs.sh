# SPDX-License-Identifier: Apache-2.0
# No output replaces a study, a file that belongs to one, a problem file, a program, or an input of the command, by whatever
# name or link. A kill leaves the old file or the new one.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

# -- Every option that names a file or a folder is known here --

# For a new option: decide what it does with its file, mark it so in its table (src/cli/support/arguments.h), and add it to
# this list; if it writes, also to the cases below.
cat >known <<'LIST'
policy export --output=FILE written
render --output=FILE written
render --study=STUDY read
reproduce --out=DIR folder
sweep --out=DIR folder
work --problem=FILE read
run --out=DIR folder
run --store=STUDY study
retarget --output=FILE written
serve --token-file=FILE read
study ask --contexts=FILE.csv read
study best --contexts=FILE.csv read
study retarget --contexts=FILE.csv read
study check-model --csv=FILE.csv written
study check-model --figure=FILE written
study explain --figure=FILE written
study export --output=FILE written
study new --problem=FILE read
study repair --to=NEW study
study report --output=FILE written
study status --figure=FILE written
study status --map=FILE.csv written
LIST
{
  "$fcps" help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | grep -v '^help$\|^study$\|^policy$'
  "$fcps" study --help | sed -n 's/^  \([a-z-]*\)  .*/study \1/p'
  echo policy export
  echo policy query
} >commands
grep -q 'study export' commands || complain 'the commands were not found'
while read -r command; do
  # shellcheck disable=SC2086
  "$fcps" $command --help | sed -n 's/.*\(--[a-z-]*=\(FILE\|DIR\|STUDY\|NEW\|PATH\)[^ ]*\).*/\1/p' | sed "s/^/$command /"
done <commands | sort >found
sed 's/ [a-z]*$//' known | while read -r line; do grep -qxF -- "$line" found || echo "no such option: $line"; done >gone
[ ! -s gone ] || complain "$(cat gone)"
sed 's/ [a-z]*$//' known >names
grep -vxF -f names found >new || :
[ ! -s new ] || complain "options that are not in the list of this test: $(cat new)"

# -- A study under many names --

cat >p.yaml <<'YAML'
name: p
target: {x: [0, 1]}
parameters: {a: [0, 1]}
outcome: [o]
achieved: {x: o}
reward: "-distance"
YAML
make_study() { # NAME
  "$fcps" study new "$1" --problem p.yaml >/dev/null
  for a in 0.1 0.5 0.9; do
    "$fcps" study tell "$1" --target x=0.5 --executed a=$a --outcome o=$a >/dev/null
  done
}
mkdir x
make_study s.fcps
"$fcps" run cannon -n 3 -q -l random --no-figure -e -1 --out cannon --store c.fcps >/dev/null
for study in s c; do
  for ending in csv svg png; do
    ln -s $study.fcps $study-soft.$ending
    ln $study.fcps $study-hard.$ending
    ln -s x/../$study-soft.$ending $study-chain.$ending
  done
done
sum() { cksum <"$1"; }
before_s=$(sum s.fcps) before_c=$(sum c.fcps)

# refused WORDS COMMAND...: exit code 2, and both studies as they were
refused() {
  expect 2 "$@"
  [ "$(sum s.fcps)" = "$before_s" ] || { complain "$*: the study changed"; rm -f s.fcps*; make_study s.fcps; before_s=$(sum s.fcps); }
  [ "$(sum c.fcps)" = "$before_c" ] || complain "$*: the study of the task changed"
  [ -z "$(find . -name '*.new-*')" ] || complain "$*: left something behind"
}

# every output × every name
for name in s.fcps ./x/../s.fcps "$PWD/s.fcps" s-soft.csv s-hard.csv s-chain.csv; do
  refused "--output: $name" "$fcps" study export s.fcps -o "$name"
  refused "--output: $name" "$fcps" study export s.fcps --format jsonl -o "$name"
  refused "--map: $name" "$fcps" study status s.fcps --map "$name"
  refused "--figure: $name" "$fcps" study explain s.fcps --figure "$name"
  refused "--csv: $name" "$fcps" study check-model s.fcps --csv "$name"
  refused "--output: $name" "$fcps" policy export s.fcps -o "$name"
done
for name in s-soft.svg s-hard.svg s-chain.svg s-soft.png s-hard.png; do
  refused "--figure: $name" "$fcps" study status s.fcps --figure "$name"
  refused "--figure: $name" "$fcps" study check-model s.fcps --figure "$name"
  refused "--output: $name" "$fcps" render cannon -o "$name"
done
for name in c-soft.svg c-hard.png c-chain.svg; do
  refused "--output: $name" "$fcps" render cannon --study c.fcps -o "$name"
done
# another study than the one that is read
refused 'is a study' "$fcps" study export s.fcps -o c.fcps
refused 'is a study' "$fcps" study status s.fcps --map c-hard.csv
refused 'is a study' "$fcps" policy export s.fcps -o c-soft.csv
# a study whose head has lost a bit is still worth a repair
for byte in 0 68; do
  cp s.fcps damaged.fcps
  printf 'x' | dd of=damaged.fcps bs=1 seek=$byte conv=notrunc 2>/dev/null
  cp damaged.fcps damaged.copy
  expect 2 'is a study or belongs to one' "$fcps" study export s.fcps -o damaged.fcps
  cmp -s damaged.fcps damaged.copy || complain "an output has replaced a study with a damaged byte $byte"
done
rm -f damaged.fcps damaged.copy
# what belongs to a study
for end in -journal -lock -reserve -kept-1.json; do
  refused 'belongs to' "$fcps" study export s.fcps -o s.fcps$end
  refused 'belongs to' "$fcps" policy export c.fcps -o ./x/../s.fcps$end
  [ ! -e s.fcps$end ] || complain "s.fcps$end was made"
done
# a default name
mkdir default && ln s.fcps default/cannon.png
refused 'cannon.png: is a study' sh -c "cd default && '$fcps' render cannon"
# one output for two options
refused 'another output' "$fcps" study status s.fcps --map both.svg --figure ./both.svg
# standard streams
"$fcps" study log s.fcps >>s.fcps 2>err && complain 'standard output may be a study'
grep -q 'it goes to a study' err || complain "no word of a study in: $(cat err)"
"$fcps" study nonsense s.fcps >out 2>>s.fcps && complain 'nonsense is a command'
[ "$(sum s.fcps)" = "$before_s" ] || complain 'a stream was written to a study'
# places of studies
expect 4 'exists already' "$fcps" study repair c.fcps --to s-hard.csv

# -- Folders --

for name in episodes.csv offline.csv map.csv summary.json; do
  for link in 'ln' 'ln -s'; do
    rm -rf res && mkdir res
    $link "$PWD/s.fcps" res/$name
    refused "$name: is a study" "$fcps" run cannon -n 2 -q -l random --no-figure --out res
    [ -e res/$name ] || complain "res/$name was removed"
  done
done
for name in figure.svg figure.png; do
  rm -rf res && mkdir res && ln s.fcps res/$name
  expect 0 'W_NO_FIGURE.*is a study' "$fcps" run cannon -n 2 -q -l random --out res
  cmp -s s.fcps res/$name || complain "res/$name was replaced"
done
# the study itself in the place of a table
for name in map.csv episodes.csv; do
  rm -rf res && mkdir res
  expect 2 "$name: is a study" "$fcps" run cannon -n 2 -q -l random --no-figure --out res --store res/$name
  expect 0 '"rollouts":0' "$fcps" study status res/$name --json
done

cat >small.yaml <<'YAML'
name: small
title: Small
task: {name: cannon, settings: {grid: 3}}
episodes: 4
evaluate: 2
seeds: 1-2
learners:
  - {label: a, title: A, learner: random}
claims:
  - {claim: It gets there, kind: reaches, rows: [a], measure: offline, at: 4, level: -50}
figures:
  - {kind: curves, name: offline, title: Curves, measure: offline, rows: [a]}
YAML
small=$(sum small.yaml)
for name in results.csv curves.csv claims.csv summary.json; do
  rm -rf rep && mkdir -p rep/small && ln s.fcps rep/small/$name
  refused "$name: is a study" "$fcps" reproduce ./small.yaml -q --out rep
  rm -rf rep && mkdir -p rep/small && ln -s ../../small.yaml rep/small/$name
  refused 'small.yaml, which this command reads' "$fcps" reproduce ./small.yaml -q --out rep
  [ "$(sum small.yaml)" = "$small" ] || complain "small.yaml changed through $name"
done
rm -rf rep && mkdir -p rep && ln -s ../s.fcps rep/report.html
expect 2 'report.html: is a study' "$fcps" reproduce ./small.yaml -q --out rep
[ "$(sum s.fcps)" = "$before_s" ] || complain 'report.html went into a study'

# -- What a command reads --

"$fcps" policy export s.fcps -o s.policy
cp s.fcps read.csv
refused 'is read by this command' "$fcps" study export read.csv -o ./read.csv
[ -z "$(find . -name '*.new-*')" ] || complain 'something was left behind'

printf 'x\n0.5\n' >contexts.csv
"$fcps" retarget s.fcps contexts.csv >>contexts.csv 2>err && complain 'contexts may be appended to while they are read'
grep -q 'which this command reads' err || complain "no word of what is read in: $(cat err)"
[ "$(cat contexts.csv)" = "$(printf 'x\n0.5')" ] || complain 'the contexts changed'

# -- What somebody has written --

printf '#!/bin/sh\necho\n' >trial && printf 'print()\n' >simulate.py && printf '1 2\n' >table.dat
cp p.yaml config && printf 'rate: 3\n' >machine.yml
sed '$a run: {command: [sh, ./own.txt, table.dat], timeout_s: 5}' p.yaml >own.yaml
printf 'echo\n' >own.txt
make_study_of() { "$fcps" study new "$1" --problem "$2" >/dev/null && "$fcps" study tell "$1" --target x=0.5 --executed a=0.1 --outcome o=0.1 >/dev/null; }
make_study_of own.fcps own.yaml
for name in trial simulate.py config machine.yml p.yaml own.txt table.dat; do
  before=$(sum $name)
  for command in 'study export own.fcps -o' 'study status own.fcps --map' 'study check-model own.fcps --csv' 'policy export own.fcps -o' \
    'study report own.fcps -o' 'render cannon --study c.fcps -o'; do
    # a page has its own ending, and a render another study
    case "$name $command" in *.txt*' report '* | *.dat*' report '* | *.txt*render* | *.dat*render*) continue ;; esac
    # shellcheck disable=SC2086
    expect 2 "$name is .* nothing was changed" "$fcps" $command $name
  done
  [ "$(sum $name)" = "$before" ] || complain "$name was written over"
done
mkdir away && ln -s ../own.txt away/link.csv
expect 2 'is named by the study.s problem file' "$fcps" study export own.fcps -o away/link.csv
mkdir -p sweep && cp p.yaml sweep/sweep.yaml
expect 2 'was not written by fcps sweep' "$fcps" sweep cannon --seeds 1000 --learners random --episodes 2 --out sweep
# nor is a file overwritten whose ending the command does not write, unless it is empty or does not exist
for file in thesis.docx id_rsa photo.png; do
  for words in 'retarget s.fcps contexts.csv -o' 'study export s.fcps -o' 'study status s.fcps --map' 'study report s.fcps -o' 'policy export s.fcps -o'; do
    echo 'of mine' >$file
    # shellcheck disable=SC2086
    expect 2 "$file is there already, and its ending is not one that this command writes.*delete it first.*Choose another name" "$fcps" $words $file
    [ "$(cat $file)" = 'of mine' ] || complain "$words: $file was written over"
  done
done
: >id_rsa
"$fcps" study export s.fcps -o id_rsa || complain 'an empty file cannot be replaced'
echo 'ask,status' >older.CSV
"$fcps" study export s.fcps -o older.CSV || complain 'an older table cannot be replaced'
# a policy may have any name, and be replaced
"$fcps" policy export s.fcps -o again.yaml
"$fcps" policy export s.fcps -o again.yaml || complain 'a policy cannot be written again'

# -- What is still possible --

expect_silent() { "$@" >out 2>err || complain "$*: $(cat out err)"; }

expect_silent "$fcps" study export s.fcps -o plain.csv
expect_silent "$fcps" study export s.fcps -o plain.csv
"$fcps" study export s.fcps >direct.csv
cmp -s plain.csv direct.csv || complain 'the file and standard output differ'
"$fcps" study export s.fcps -o /dev/stdout >through.csv
cmp -s plain.csv through.csv || complain '/dev/stdout, a file, differs'
"$fcps" study export s.fcps -o /dev/stdout | cmp -s - plain.csv || complain '/dev/stdout, a pipe, differs'
expect_silent "$fcps" study export s.fcps -o /dev/null
mkfifo pipe && { cat pipe >piped & } && "$fcps" study export s.fcps -o pipe && wait && { cmp -s piped plain.csv || complain 'a pipe gets something else'; }
ln -s later.csv link.csv
expect_silent "$fcps" study export s.fcps -o link.csv
[ -L link.csv ] && cmp -s later.csv plain.csv || complain 'a link to a file that was not there yet is not followed'
chmod 640 plain.csv && "$fcps" study export s.fcps -o plain.csv && [ "$(stat -c %a plain.csv)" = 640 ] || complain 'permissions are not kept'
expect 4 'nowhere' "$fcps" study export s.fcps -o nowhere/a.csv

# -- A kill --

# a writer is stopped in the middle: the rows are in a new file, and the old file is whole until the command ends
if command -v gnuplot >/dev/null; then
  mkdir fake && printf '#!/bin/sh\ncat >script\nsed -n "s/^set output .\\(.*\\).$/\\1/p" script | head -1 >place\nprintf half >"$(cat place)"\necho $$ >started\nexec sleep 60\n' >fake/gnuplot
  chmod +x fake/gnuplot
  echo old >kept.svg
  PATH=$folder/fake:$PATH "$fcps" study status s.fcps --figure kept.svg >out 2>err &
  child=$!
  for _ in $(seq 100); do [ ! -s started ] || break; sleep 0.1; done
  [ -s started ] || complain 'the figure was not begun'
  kill -9 $child
  wait $child 2>/dev/null || :
  [ "$(cat kept.svg)" = old ] || complain 'a kill left a part of a figure'
  kill "$(cat started)"
  expect_silent "$fcps" study status s.fcps --figure kept.svg
  grep -q '<svg' kept.svg || complain 'the figure was not drawn after a kill'
  [ -z "$(find . -name '*.new-*')" ] || complain "what the killed command left is still there: $(find . -name '*.new-*')"
  # a program that ends well with only a part of its picture, as on a full disk
  sed -i 's/^echo \$\$.*/exit 0/' fake/gnuplot
  cp kept.svg whole.svg
  PATH=$folder/fake:$PATH expect 4 'the picture is incomplete' "$fcps" study status s.fcps --figure kept.svg
  cmp -s kept.svg whole.svg || complain 'a part of a picture has replaced a whole one'
fi
exit $failed
