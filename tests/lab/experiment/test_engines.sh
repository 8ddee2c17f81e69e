#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An experiment has the same bytes whoever does its runs. Quick: the local engine, against a stand-in for Slurm's commands that
# loses tasks. Long: a real Slurm on loopback, with tasks that are killed, and workers as an array (examples/slurm).
set -eu
fcps=$FCPS_BINARY_DIR/fcps
here=$FCPS_SOURCE_DIR/tests/lab/experiment
folder=$(mktemp -d /tmp/fcps-engines-XXXXXX)
trap 'sh "$here/slurm-cluster.sh" stop "$folder/cluster"; rm -rf "$folder"' EXIT
chmod 755 "$folder" # munge has a user of its own
cd "$folder"
failed=0
complain() { echo "$1"; failed=1; }

seeds=1000-1003
[ -z "${FCPS_TEST_LONG-}" ] || seeds=1000-1099
cat >sweep.yaml <<END
name: sweep
title: A sweep of the cannon
about: Two learners on some seeds.
task: {name: cannon, settings: {grid: 3}}
episodes: 8
evaluate: 8
seeds: $seeds
learners:
  - {label: random, title: Random, learner: random}
  - {label: c-reps, title: C-REPS, learner: c-reps}
END
"$fcps" reproduce sweep.yaml --out local --quiet >local.txt || complain 'the local engine failed'

# studies have times in them, and an id of their own
same() { # folder
  for file in local/sweep/*.csv local/sweep/runs/*; do
    case $file in *.fcps | *.seconds | *times.csv) continue ;; esac
    cmp "$file" "$1/${file#local/}" || complain "${file#local/} differs"
  done
  # a task that is killed may leave a draft behind
  finished=$(ls "$1"/sweep/runs/*.json | wc -l)
  [ "$(ls local/sweep/runs/*.json | wc -l)" = "$finished" ] || complain "$1 has $finished runs: $(ls "$1/sweep/runs" | tail -5)"
}

if [ -z "${FCPS_TEST_LONG-}" ]; then
  # runs the tasks at once, and loses every third of a first array
  mkdir bin
  cat >bin/sbatch <<'END'
#!/bin/sh
for word; do case $word in --array=*) last=${word#--array=1-} last=${last%%%*} ;; esac; done
for word; do script=$word; done
first=no; [ -f submitted ] || first=yes; echo "$last" >>submitted
i=1
while [ $i -le "$last" ]; do
  if [ $first = no ] || [ $((i % 3)) -ne 0 ]; then SLURM_ARRAY_TASK_ID=$i sh "$script" >/dev/null 2>&1; fi
  i=$((i + 1))
done
echo 7
END
  printf '#!/bin/sh\n' >bin/squeue
  printf '#!/bin/sh\n' >bin/scancel
  chmod +x bin/*
  PATH=$folder/bin:$PATH "$fcps" reproduce sweep.yaml --engine slurm --out array --quiet >array.txt ||
    complain 'the array failed'
  same array
  [ "$(cat submitted | tr '\n' ' ')" = '8 2 ' ] || complain "lost tasks were not submitted again: $(cat submitted)"
  # a sweep is an experiment of its own
  PATH=$folder/bin:$PATH "$fcps" sweep cannon --learners c-reps --set epsilon=0.4,0.5 --seeds 1000-1001 -n 4 --engine slurm \
    --out swept --quiet >swept.txt || complain 'the sweep failed'
  grep -q 'c-reps epsilon=0.4' swept.txt || complain "the rows of the sweep are not named: $(cat swept.txt)"
  [ "$(ls swept/sweep/runs/*.json | wc -l)" = 4 ] || complain 'the sweep has not all its runs'
  # it writes inside its folder alone, over no file of anybody else, and nothing where it is refused
  echo mine >kept.yaml
  mkdir taken && echo mine >taken/sweep.yaml
  "$fcps" sweep cannon --learners random --seeds 1000 -n 2 --out kept --quiet >swept.txt || complain 'the sweep failed'
  [ "$(cat kept.yaml)" = mine ] && [ -f kept/sweep.yaml ] || complain 'a sweep wrote over a file beside its folder'
  "$fcps" sweep cannon --learners random --seeds 1000 -n 2 --out kept --quiet >swept.txt || complain 'no second sweep'
  "$fcps" sweep cannon --learners random --seeds 1000 -n 2 --out taken --quiet 2>refused.txt && complain 'it wrote over a file'
  grep -q 'taken/sweep.yaml.*was not written by fcps sweep' refused.txt || complain "not said: $(cat refused.txt)"
  [ "$(cat taken/sweep.yaml)" = mine ] || complain 'a sweep wrote over a file in its folder'
  for wrong in 'nonsense' 'cannon --learners nope' 'cannon --set kapa=1' 'cannon --seeds x' 'cannon --engine cloud'; do
    # shellcheck disable=SC2086
    "$fcps" sweep $wrong --out none 2>refused.txt && complain "sweep $wrong succeeded"
    if [ -e none ] || [ -e none.yaml ]; then complain "sweep $wrong left a file behind"; fi
  done
  printf '#!/bin/sh\necho no such partition >&2\nexit 1\n' >bin/sbatch
  PATH=$folder/bin:$PATH "$fcps" reproduce sweep.yaml --engine slurm --out refused --quiet 2>refused.txt &&
    complain 'a refused array succeeded'
  grep -q 'no such partition' refused.txt || complain "the words of sbatch are missing: $(cat refused.txt)"
  "$fcps" reproduce sweep.yaml --engine cloud --out refused --quiet 2>refused.txt && complain 'an unknown engine succeeded'
  grep -q 'local, slurm' refused.txt || complain 'the engines are not named'
  exit $failed
fi

code=0
sh "$here/slurm-cluster.sh" start "$folder/cluster" $((20000 + $$ % 20000)) || code=$?
[ $code -ne 77 ] || { echo 'skipped: the array of Slurm, see above'; exit 77; }
[ $code -eq 0 ] || exit 1
export SLURM_CONF="$folder/cluster/slurm.conf"
"$fcps" reproduce sweep.yaml --engine slurm --out array --quiet >array.txt &
command=$!
# kill running tasks a few times: what they left is done again
for round in 1 2 3 4 5; do
  sleep 2
  task=$(squeue -h -r -t R -o %i | head -1)
  [ -z "$task" ] || scancel --signal=KILL --batch "$task" || true
done
wait $command || complain 'the array failed'
same array

# the example: workers of one study as an array, one of whose tasks is requeued
cp "$FCPS_SOURCE_DIR"/examples/simulator/* .
"$fcps" study new array.fcps --problem throw.yaml --learner random >/dev/null
job=$(FCPS=$fcps sbatch --parsable --output=work-%a.txt --array=1-3 "$FCPS_SOURCE_DIR/examples/slurm/work.sh" array.fcps throw.yaml 60)
await() { # words and a command that must succeed within five minutes
  words=$1
  shift
  tries=0
  until "$@"; do
    tries=$((tries + 1))
    [ $tries -lt 1500 ] || { complain "$words: $(squeue; cat work-*.txt)"; return; }
    sleep 0.2
  done
}
has_begun() { [ "$("$fcps" study log array.fcps --json | wc -l)" -gt 0 ]; }
has_ended() { [ -z "$(squeue -h -j "$job" 2>/dev/null)" ]; }
await 'the workers do not begin' has_begun
scontrol requeue "${job}_2" || true # it may have ended
await 'the workers do not end' has_ended
[ "$("$fcps" study log array.fcps --json | wc -l)" -eq 60 ] || complain "the array of workers: $("$fcps" study status array.fcps; cat work-*.txt)"
exit $failed
