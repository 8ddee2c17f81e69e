# SPDX-License-Identifier: Apache-2.0
# A study in PostgreSQL behind a server: its name is the part behind #, and commands print the same as for the database.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
need_serve
need_libpq
mkdir database
chmod 755 "$folder" database
sh "$FCPS_SOURCE_DIR/tests/store/postgresql-server.sh" "$folder/database" &
database=$!
server=
trap '[ -z "$server" ] || kill $server 2>/dev/null || :; kill -QUIT $database 2>/dev/null || :; wait; rm -rf "$folder"' EXIT
place="postgresql:///postgres?host=$folder/database&user=fcps"
tries=0
until psql -qAt -h "$folder/database" -U fcps postgres -c 'SELECT 1' >/dev/null 2>&1; do
  if ! kill -0 $database 2>/dev/null; then
    got=0
    wait $database || got=$?
    exit $got
  fi
  tries=$((tries + 1))
  [ $tries -lt 300 ] || { echo 'PostgreSQL does not answer'; exit 1; }
  sleep 0.1
done

export FCPS_TOKEN_FILE="$folder/token"
cp "$FCPS_SOURCE_DIR/examples/simulator/throw.yaml" .
expect 0 'made' "$fcps" study new "$place#throw v1.2" --problem throw.yaml
expect 0 'made' "$fcps" study new "$place#lab/throw" --problem throw.yaml
expect 2 'could ask for' timeout 20 "$fcps" serve "$place#lab/throw"
"$fcps" study new 'throw v1.2.fcps' --problem throw.yaml >/dev/null
expect 2 'two studies have the name' timeout 20 "$fcps" serve "$place#throw v1.2" 'throw v1.2.fcps'
"$fcps" serve "$place#throw v1.2" >url &
server=$!
tries=0
while [ ! -s url ] && [ $tries -lt 200 ]; do sleep 0.1; tries=$((tries + 1)); done
url="$(sed 's|/#.*||' url)/throw%20v1.2"

expect 0 'ask 1$' "$fcps" study ask "$url" --target x=3,y=4 --environment wind=0.2 --client robot
expect 0 'stored result of ask 1, reward -' "$fcps" study tell "$url" 1 --outcome land_x=0.64,land_y=-3.05
printf 'x,y,wind,turn,speed,land_x,land_y\n' >old.csv
for i in 1 2 3 4 5 6 7 8; do echo "1,$i,0,3$i,$i,4.$i,2.5" >>old.csv; done
expect 0 'imported 8 results' "$fcps" study import "$url" old.csv
for command in 'best STUDY --target x=1,y=2 --environment wind=0' 'log STUDY' 'log STUDY --json' 'export STUDY' 'status STUDY --json' \
  'check-model STUDY'; do
  for name in "$url" "$place#throw v1.2"; do
    set --
    for word in $command; do
      [ "$word" != STUDY ] || word=$name
      set -- "$@" "$word"
    done
    "$fcps" study "$@" >"${name%%:*}.out" 2>&1 || complain "$command: $(cat "${name%%:*}.out")"
  done
  sed -i 's/study amend .* --drop/study amend STUDY --drop/; s/"study":"[^"]*",//' http.out postgresql.out
  cmp -s http.out postgresql.out || complain "$command differs: $(diff http.out postgresql.out)"
done
expect 0 'wrote' "$fcps" study report "$url" -o page.html
expect 0 'copied' "$fcps" study backup "$url" saved.fcps
expect 0 'imported 0 results, skipped 8' "$fcps" study import saved.fcps old.csv
# a later state of the same study replaces an older one
expect 0 'copied' "$fcps" study backup "$url" again.fcps
expect 0 'stored' "$fcps" study tell "$url" --target x=0,y=0 --environment wind=0 --executed turn=10,speed=2 --outcome land_x=2,land_y=0.3 --key left
expect 0 'copied' "$fcps" study backup --force "$url" again.fcps

# a run and a worker do not begin beside each other, whichever of them goes through the server
sed -i 's/^run:.*//' throw.yaml
echo 'run: {command: [sh, -c, "touch moving; exec sleep 60"], timeout_s: 60}' >>throw.yaml
wait_for_move() {
  tries=0
  while [ ! -e moving ] && [ $tries -lt 300 ]; do sleep 0.1; tries=$((tries + 1)); done
  rm -f moving
}
"$fcps" run throw.yaml --store "$place#throw v1.2" --episodes 99 >run.out 2>&1 &
mover=$!
wait_for_move
expect 5 'does not begin beside a run' "$fcps" work "$url" --problem throw.yaml --trials 99
kill $mover
wait $mover || :
"$fcps" work "$url" --problem throw.yaml --trials 99 --name arm >work.out 2>&1 &
mover=$!
wait_for_move
expect 5 'the worker "arm" is at work' "$fcps" run throw.yaml --store "$place#throw v1.2" --episodes 99
kill $mover
wait $mover || :
exit $failed
