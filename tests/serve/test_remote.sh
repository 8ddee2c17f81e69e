# SPDX-License-Identifier: Apache-2.0
# Study commands through a server: they print the same as for the file, and change the study behind it.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
need_serve
export FCPS_TOKEN_FILE="$folder/token" XDG_STATE_HOME="$folder/own"
cp "$FCPS_SOURCE_DIR/examples/simulator/throw.yaml" .
"$fcps" study new throw.fcps --problem throw.yaml >/dev/null
"$fcps" serve throw.fcps --make "$folder" >url &
server=$!
trap 'kill $server 2>/dev/null || :; rm -rf "$folder"' EXIT
tries=0
while [ ! -s url ] && [ $tries -lt 200 ]; do sleep 0.2; tries=$((tries + 1)); done
base=$(sed 's|/#.*||' url)
url=$base/throw

expect 0 'ask 1$' "$fcps" study ask "$url" --target x=3,y=4 --environment wind=0.2 --client robot
expect 0 'ask 1 (unfinished, again)' "$fcps" study ask "$url" --target x=3,y=4 --environment wind=0.2 --client robot
expect 0 'stored result of ask 1, reward -' "$fcps" study tell "$url" 1 --outcome land_x=0.64,land_y=-3.05
expect 0 'was there already' "$fcps" study tell "$url" 1 --outcome land_x=0.64,land_y=-3.05
expect 2 "E_CONFLICT.*fcps study amend $url --use 1.2" "$fcps" study tell "$url" 1 --outcome land_x=0.7,land_y=-3
expect 0 '"asks":\[{"ask":2' "$fcps" study ask "$url" --target x=1,y=1 --environment wind=0 --count 3 --json
expect 0 '' "$fcps" study forget "$url" 2
expect 0 'reward -' "$fcps" study tell "$url" 3 --outcome land_x=1,land_y=0.4 --outcome-sd land_x=0.1,land_y=0.1
expect 0 'no reward' "$fcps" study tell "$url" 4 --failed 'gripper slipped' --status timeout
expect 0 'without an ask' "$fcps" study tell "$url" --target x=0,y=0 --environment wind=0 --executed turn=10,speed=2 --outcome land_x=2,land_y=0.3 --key "left-$$"
expect 2 'E_UNSUPPORTED' "$fcps" study choose "$url" --environment wind=0
expect 2 'x has no\|"z"' "$fcps" study ask "$url" --target z=1 --environment wind=0
expect 0 'amended' "$fcps" study amend "$url" --drop failed
expect 0 'amended' "$fcps" study amend "$url" --reward '-distance'
expect 0 'amended' "$fcps" study amend "$url" --bounds speed=1,12
expect 0 'amended' "$fcps" study amend "$url" --set kappa=1
printf 'x,y,wind,turn,speed,land_x,land_y,status\n1,1,0,30,5,4.3,2.5,ok\n1,2,0,40,5,,,ok\n2,2,0,50,5,,,failed\n' >old.csv
expect 0 'imported 3 results, skipped 0' "$fcps" study import "$url" old.csv
expect 0 'imported 0 results, skipped 3' "$fcps" study import "$url" old.csv
"$fcps" study export "$url" -o own.csv
expect 0 'imported 0 results, skipped' "$fcps" study import "$url" own.csv
expect 0 'imported 3 results, skipped 0$' "$fcps" study import "$url" old.csv --again
expect 2 'E_FORMAT' "$fcps" study import "$url" throw.yaml
expect 0 'copied' "$fcps" study backup "$url" saved.fcps
expect 0 'copied http://.* to copied.fcps' "$fcps" study copy "$url" copied.fcps
for command in 'log --json' export 'status --json'; do # a copy answers the same
  # shellcheck disable=SC2086
  "$fcps" study ${command% *} throw.fcps ${command#"${command% *}"} >there
  # shellcheck disable=SC2086
  "$fcps" study ${command% *} copied.fcps ${command#"${command% *}"} >here
  sed -i 's/"study":"[^"]*",//' there here # its name alone is another
  cmp -s there here || complain "$command of a copy differs: $(diff there here)"
done
"$fcps" study copy throw.fcps direct.fcps >/dev/null
for study in copied direct; do
  "$fcps" study ask $study.fcps --target x=1,y=2 --environment wind=0 --json >$study.ask
done
cmp copied.ask direct.ask || complain 'a copy asks something else'
expect 4 'exists already' "$fcps" study copy "$url" copied.fcps
expect 2 'a study cannot be copied to a server' "$fcps" study copy copied.fcps "$base/third"
expect 2 'works on a file' "$fcps" study restore saved.fcps "$url"
expect 0 'made' "$fcps" study new "$base/second" --problem throw.yaml --seed 3
[ -f second.fcps ] || complain 'the second study was not made'

# a command that only reads prints the same through the server and for the file
for command in 'best STUDY --target x=1,y=2 --environment wind=0' 'log STUDY' 'log STUDY --json' 'export STUDY' 'status STUDY --json'; do
  # shellcheck disable=SC2046
  "$fcps" study $(echo "$command" | sed 's|STUDY|throw.fcps|') >there 2>&1 || complain "$command: $(cat there)"
  # shellcheck disable=SC2046
  "$fcps" study $(echo "$command" | sed "s|STUDY|$url|") >here 2>&1 || complain "$command: $(cat here)"
  sed -i 's/"study":"[^"]*",//' there here
  cmp -s there here || complain "$command differs: $(diff there here)"
done
printf 'x,y,wind\n1,2,0\n' >contexts.csv
expect 0 '1,2,0,' "$fcps" retarget "$url" contexts.csv
expect 0 'wrote' "$fcps" study report "$url" -o page.html
grep -q 'gripper slipped' page.html || complain 'the report has no message'

expect 4 'cannot be reached' "$fcps" study log http://127.0.0.1:1/throw
expect 2 'is not http://' "$fcps" study log http://127.0.0.1/throw
expect 4 'E_IO' env FCPS_TOKEN_FILE=none "$fcps" study log "$url"
expect 4 'E_IO.*token' "$fcps" study log "$url#token=000000000000000000000000000000000000000000000000"
# a tell waits for a server that is away; Ctrl-C keeps the result, also if the signal comes twice, as from `timeout`
gone=http://127.0.0.1:1/throw
expect 130 'W_STUDY_LOCKED.*' env XDG_STATE_HOME="$folder/state" timeout --preserve-status -s INT 3 "$fcps" study tell "$gone" 1 --outcome land_x=1,land_y=2
grep -q '"words":\["--outcome","land_x=1,land_y=2","http://127.0.0.1:1/throw","1"\]' state/fcps/told/told-1.json || complain "nothing is kept: $(cat state/fcps/told/*)"
for gap in 0 0 0 0.001 0.01; do # two at once, before the first is acted upon
  rm -f said # of the one before
  XDG_STATE_HOME="$folder/twice" "$fcps" study tell "$gone" 1 --outcome land_x=1,land_y=2 2>said &
  teller=$! tries=0
  while ! grep -qs W_STUDY_LOCKED said && [ $tries -lt 300 ]; do sleep 0.1; tries=$((tries + 1)); done
  kill -INT $teller
  sleep $gap
  kill -INT $teller 2>/dev/null || :
  wait $teller || :
done
[ -e twice/fcps/told/told-5.json ] || complain "typed five times, kept: $(ls twice/fcps/told)"
# it is unknown which study that was: the result is not told without asking
sed "s|$gone|$url|g; s|\"1\"|\"3\"|" state/fcps/told/told-1.json >told && cp told state/fcps/told/told-1.json
expect 2 "W_KEPT_REFUSED.*fcps study tell --outcome land_x=1,land_y=2 $url 3" env XDG_STATE_HOME="$folder/state" "$fcps" study tell "$url" --kept
rm state/fcps/told/told-1.json

# a result for one study is told to no other study at the same address
kill $server
wait $server || complain "the server ended with $?"
port=${base##*:}
serve() { # FILE NAME: at the same address as before
  cp "$1" throw.fcps
  : >url
  "$fcps" serve throw.fcps --listen "127.0.0.1:$port" >url &
  server=$!
  tries=0
  while [ ! -s url ] && [ $tries -lt 200 ]; do sleep 0.2; tries=$((tries + 1)); done
}
stop() {
  kill $server
  wait $server || complain "the server ended with $?"
}
export XDG_STATE_HOME="$folder/state"
mv throw.fcps first.fcps
"$fcps" study new other.fcps --problem throw.yaml --seed 77 >/dev/null
serve first.fcps
late=$("$fcps" study ask "$url" --target x=3,y=4 --environment wind=0.2 --client late --json | sed 's/.*"ask":\([0-9]*\).*/\1/')
stop
mv throw.fcps first.fcps
expect 130 'W_STUDY_LOCKED.*' timeout --preserve-status -s INT 3 "$fcps" study tell "$url" "$late" --outcome land_x=1,land_y=2
serve other.fcps
"$fcps" study ask "$url" --target x=1,y=1 --environment wind=0 --count "$late" >/dev/null
expect 2 'W_KEPT_REFUSED.*another study' "$fcps" study tell "$url" --kept
[ "$("$fcps" study export "$url" | wc -l)" = 1 ] || complain 'the other study has a result'
stop
serve first.fcps
expect 0 'stored 1 kept result' "$fcps" study tell "$url" --kept
[ ! -e state/fcps/told/told-1.json ] || complain 'the kept words are still there'
expect 0 'stored 0 kept results' "$fcps" study tell "$url" --kept

kill $server
wait $server || complain "the server ended with $?"
# of this study: others may be at work beside this test
if grep -ls "left-$$" /tmp/fcps-copy-*/study.fcps; then complain 'copies are left behind'; fi
exit $failed
