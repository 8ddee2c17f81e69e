# SPDX-License-Identifier: Apache-2.0
# Files from somebody else. A problem file names a program; only `fcps run` or `fcps work` of that very file starts it,
# without a shell. The program that a study names is started only by a worker that was told to trust the study.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

problem() { # problem COMMAND: a problem whose program is COMMAND
  cat <<YAML
target: {x: [0, 5]}
parameters: {speed: [0, 3]}
outcome: [land]
achieved: {x: land}
reward: -distance
learner: {name: outcome, initial: 2, candidates: 20}
run: {command: $1, timeout_s: 20}
YAML
}
none_ran() { [ ! -e ran ] || complain "$* started the program of the problem file"; }

problem '[touch, ran]' >stranger.yaml
printf 'x,speed,land\n1,1,1\n' >old.csv
printf 'x\n1\n' >contexts.csv

"$fcps" study new s.fcps --problem stranger.yaml >out
for arguments in 'study ask s.fcps --target x=1' 'study tell s.fcps 1 --outcome land=1' 'study import s.fcps old.csv' \
  'study best s.fcps --target x=1' 'study status s.fcps' 'study log s.fcps' 'study export s.fcps' \
  'study amend s.fcps --bounds speed=0,2' 'study repair s.fcps --to repaired.fcps' 'policy export s.fcps -o p.policy' \
  'policy query p.policy --target x=1' 'retarget s.fcps contexts.csv'; do
  # shellcheck disable=SC2086
  "$fcps" $arguments >out 2>err || complain "fcps $arguments: $(cat out err)"
  none_ran "fcps $arguments"
done

# the program comes from the file that is given, not from the study
problem "[sed, -u, 's/.*\"ask\": *\\([0-9]*\\).*/{\"ask\":\\1,\"outcome\":{\"land\":1}}/']" >mine.yaml
"$fcps" study new t.fcps --problem stranger.yaml >out
expect 0 . "$fcps" run mine.yaml --episodes 1 --store t.fcps --quiet
none_ran 'fcps run mine.yaml'
# the control: with its own file it does run
expect 6 E_PROGRAM "$fcps" run stranger.yaml --episodes 2 --store t.fcps --quiet
[ -e ran ] || complain 'fcps run stranger.yaml did not start its program, so this test shows nothing'

# a worker runs what its user names, and says what the study would have run
rm ran
"$fcps" study new w.fcps --problem stranger.yaml >out
expect 2 'says to run touch ran.*--problem FILE.*--trust-study' "$fcps" work w.fcps --trials 1
none_ran 'fcps work w.fcps'
expect 0 '2 trials done' "$fcps" work w.fcps --problem mine.yaml --trials 2
expect 0 '1 trials done' "$fcps" work w.fcps --trials 3 \
  --program "sed -u 's/.*\"ask\": *\\([0-9]*\\).*/{\"ask\":\\1,\"outcome\":{\"land\":1}}/'"
none_ran 'fcps work with a program of its user'
expect 6 E_PROGRAM "$fcps" work w.fcps --trust-study --trials 4
[ -e ran ] || complain 'fcps work --trust-study did not start the program, so this test shows nothing'
rm ran

# a number that has another meaning in the shell is refused
for option in parallel trials lease; do
  expect 2 "E_BOUNDS: --$option" "$fcps" work w.fcps --problem mine.yaml --$option 0
done

# nor does a worker read the table that a study names, or wait for ever if the table is a pipe
{ problem '[touch, ran]'; echo 'contexts: {csv: secret.csv}'; } >table.yaml
printf 'x\nsecret\n' >secret.csv
"$fcps" study new table.fcps --problem table.yaml >out
expect 2 'says to read contexts from secret.csv.*--problem FILE' "$fcps" work table.fcps --program true --trials 1
expect 2 'secret.csv.*E_FORMAT\|E_FORMAT.*secret.csv' "$fcps" work table.fcps --program true --trust-study --trials 1
rm secret.csv
mkfifo secret.csv
expect 4 'is not a regular file' timeout 20 "$fcps" work table.fcps --program true --trust-study --trials 1

# no shell reads the arguments
problem "[touch, 'a;touch ran2', '\$(touch ran3)', '*']" >shell.yaml
expect 6 E_PROGRAM "$fcps" run shell.yaml --episodes 1 --store u.fcps --quiet
[ -e 'a;touch ran2' ] && [ -e '$(touch ran3)' ] && [ -e '*' ] || complain "the arguments did not arrive as they are: $(ls)"
[ ! -e ran2 ] && [ ! -e ran3 ] || complain 'a shell read the arguments'

# a command that a message suggests can be typed in a shell, whatever the name of the study
odd='its; touch ran4 #.fcps'
"$fcps" study new "$odd" --problem mine.yaml >out
"$fcps" study tell "$odd" --target x=1 --executed speed=1 --outcome land=1 --key k >out
expect 2 "fcps study amend 'its; touch ran4 #.fcps' --use" "$fcps" study tell "$odd" --target x=1 --executed speed=1 --outcome land=2 --key k
command=$(sed -n 's/.*To use it instead: fcps //p' err)
expect 0 'amended' sh -c "'$fcps' $command"
[ ! -e ran4 ] || complain 'a suggested command ran what is in the name of a study'

# a worker does not begin beside a run, which owns its study; after it, it does
problem "[sh, -c, 'cat >/dev/null']" | sed 's/timeout_s: 20/timeout_s: 100/' >slow.yaml
"$fcps" run slow.yaml --episodes 1 --store owned.fcps --quiet >run.out 2>&1 &
run=$!
tries=0
while { [ ! -e owned.fcps-lock ] || [ ! -s owned.fcps ]; } && [ $tries -lt 200 ]; do sleep 0.1; tries=$((tries + 1)); done
expect 5 'beside a run, which owns its study.*is held by process' "$fcps" work owned.fcps --problem mine.yaml --trials 1
kill "$run"
wait "$run" || :
expect 0 'trials done' "$fcps" work owned.fcps --problem mine.yaml --trials 2
exit $failed
