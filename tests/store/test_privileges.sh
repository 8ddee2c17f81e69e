# SPDX-License-Identifier: Apache-2.0
# The roles of docs/cluster.md, made by its own statements: each can do what the page says, and no more.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
need_libpq
mkdir database
chmod 755 "$folder" database
sh "$FCPS_SOURCE_DIR/tests/store/postgresql-server.sh" "$folder/database" &
database=$!
trap 'kill -QUIT $database 2>/dev/null || :; wait; rm -rf "$folder"' EXIT
administrator() { psql -qAt -v ON_ERROR_STOP=1 -h "$folder/database" -U fcps "$@"; }
tries=0
until administrator postgres -c 'SELECT 1' >/dev/null 2>&1; do
  if ! kill -0 $database 2>/dev/null; then
    got=0
    wait $database || got=$?
    exit $got
  fi
  tries=$((tries + 1))
  [ $tries -lt 1200 ] || { echo 'PostgreSQL does not answer'; exit 1; }
  sleep 0.1
done
export XDG_STATE_HOME="$folder/state"
place() { echo "postgresql:///lab?host=$folder/database&user=$1#$2"; }
sql() { sed -n '/^```sql$/,/^```$/p' "$FCPS_SOURCE_DIR/docs/cluster.md" | awk -v wanted="$1" '/^```sql$/ {block++; next} /^```$/ {next} block == wanted'; }

administrator postgres -c 'CREATE DATABASE lab'
administrator lab -c 'REVOKE ALL ON DATABASE lab FROM PUBLIC; REVOKE ALL ON SCHEMA public FROM PUBLIC; GRANT CONNECT ON DATABASE lab TO PUBLIC'
cat >throw.yaml <<'PROBLEM'
target: {x: [0, 5]}
parameters: {speed: [0, 3]}
outcome: [land]
achieved: {x: land}
reward: "-distance"
learner: {name: outcome, initial: 2, candidates: 12, starts: 1, fit_starts: 1, fit_budget: 4}
run: {command: [sed, -u, 's/.*"ask": *\([0-9]*\).*"speed": *\([-0-9.e]*\).*/{"ask":\1,"outcome":{"land":\2}}/'], timeout_s: 60}
PROBLEM

# who may make the schema nowhere is told so; an administrator prepares it
sql 1 | head -1 | administrator lab
expect 4 'docs/cluster.md' "$fcps" study new "$(place robots throw)" --problem throw.yaml
sql 1 | tail -n +2 | administrator lab
expect 0 'made' "$fcps" study new "$(place robots throw)" --problem throw.yaml
sql 2 | administrator lab

# those who work
throw=$(place workers throw)
expect 0 'ask 1' "$fcps" study ask "$throw" --target x=3
expect 0 'stored' "$fcps" study tell "$throw" 1 --outcome land=2
expect 0 'stored' "$fcps" study tell "$throw" --target x=1 --executed speed=2 --outcome land=1.5 --outcome-sd land=0.1
expect 0 '3 episodes of runs' "$fcps" run throw.yaml --store "$throw" --episodes 3
! grep W_NO_FIGURE err || grep -q gnuplot err || complain 'a run on a database draws no figure'
expect 0 'trials done' "$fcps" work "$throw" --problem throw.yaml --trials 6
expect 0 'amended' "$fcps" study amend "$throw" --drop 1.1
expect 0 'amended' "$fcps" study amend "$throw" --reward '-2*distance'
expect 0 'amended' "$fcps" study amend "$throw" --set fit_starts=2
printf 'x,speed,land\n1,1,1\n2,1.5,1.6\n' >old.csv
expect 0 'imported 2 results' "$fcps" study import "$throw" old.csv
expect 0 'ask 7' "$fcps" study ask "$throw" --target x=2
expect 0 'forgot' "$fcps" study forget "$throw" 7
expect 4 'does not allow this' "$fcps" study new "$(place workers other)" --problem throw.yaml

# those who look
throw=$(place readers throw)
for command in log status export 'best --target x=2' check-model; do
  # shellcheck disable=SC2086
  expect 0 '' "$fcps" study ${command%% *} "$throw" ${command#"${command%% *}"}
done
expect 0 'wrote' "$fcps" study report "$throw" -o page.html
expect 0 'copied' "$fcps" study copy "$throw" copy.fcps
"$fcps" study log "$throw" --json >there
"$fcps" study log copy.fcps --json >here
cmp there here || complain 'a copy by a reader differs'
expect 4 'does not allow this' "$fcps" study ask "$throw" --target x=2
expect 4 'does not allow this' "$fcps" study tell "$throw" --target x=1 --executed speed=1 --outcome land=1
cmp -s there here || complain 'a reader changed the study'

# those who make
expect 0 'made' "$fcps" study new "$(place makers other)" --problem throw.yaml
expect 0 'copied' "$fcps" study copy copy.fcps "$(place makers again)"
# as fcps_study_remove does: the rows of the study go with it
psql -qAt -h "$folder/database" -U makers lab -c "DELETE FROM fcps.studies WHERE name = 'other'" || complain 'a maker cannot remove'
expect 4 'does not exist' "$fcps" study log "$(place makers other)"
expect 0 '' "$fcps" study log "$(place makers again)"
exit $failed
