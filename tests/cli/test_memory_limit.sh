# SPDX-License-Identifier: Apache-2.0
# Under a limit of memory (ulimit -v) each command ends: with its work done, or with a message. (Without care OpenBLAS would
# wait for its buffers for ever.)
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
[ -z "${FCPS_SANITIZED-}" ] || lack 'a sanitizer needs an address space without a limit'
(ulimit -v 4000000) 2>/dev/null || lack 'no limit of memory can be set here (ulimit -v)'

cp "$FCPS_SOURCE_DIR/examples/simulator/throw.yaml" .
"$fcps" study new s.fcps --problem throw.yaml >/dev/null
awk 'BEGIN { OFS = ","; print "x,y,wind,turn,speed,land_x,land_y"
  for (i = 1; i <= 30; i++) print 8*sin(i), 8*sin(1.7*i), sin(2.3*i), 180 + 179*sin(3.1*i), 5 + 4*sin(4.7*i), 7*sin(5.3*i), 7*sin(6.1*i) }' >rows.csv
"$fcps" study import s.fcps rows.csv >/dev/null 2>err || complain "the rows: $(cat err)"
told=30

# limited KILOBYTES COMMAND...: its exit code in $got
limited() {
  limit=$1
  shift
  got=0
  (ulimit -v "$limit" && exec timeout -s KILL 60 "$@") >out 2>err || got=$?
  case $got in
  0) ;;
  70) grep -q 'E_MEMORY: ' err || complain "$* with $limit kB: $(cat err)" ;;
  127) grep -q 'shared' err || complain "$* with $limit kB: $(cat err)" ;; # the loader found no room
  *) complain "$* with $limit kB: exit code $got: $(cat err)" ;;
  esac
}

for limit in 60000 70000 80000 90000 100000 120000 140000 160000 180000 200000 230000 260000 300000 400000 500000; do
  limited $limit "$fcps" study status s.fcps
  limited $limit "$fcps" study ask s.fcps --target x=3,y=4 --environment wind=0.2
  limited $limit "$fcps" study tell s.fcps --target x=1,y=1 --environment wind=0 --executed turn=9,speed=3 --outcome land_x=1,land_y=$limit
  [ $got -ne 0 ] || told=$((told + 1))
  limited $limit "$fcps" study log s.fcps
  [ $failed -eq 0 ] || exit 1 # the next one could hang as well
done
"$fcps" study status s.fcps >out
grep -q "^rollouts  *$told results" out || complain "$told results were acknowledged: $(cat out)"
[ $told -gt 30 ] || complain 'nothing was told: the limits are too small for this test'
limited 2000000 "$fcps" study ask s.fcps --target x=3,y=4 --environment wind=0.2
[ $got -eq 0 ] || complain "with 2 GB: $(cat err)"

# a server, which has threads: it reports what it cannot do, and ends when it is told to
"$fcps" serve none.fcps 2>&1 | grep -q 'built without libevent' && exit $failed
export FCPS_TOKEN_FILE="$folder/token"
for limit in 90000 150000 250000 2000000; do
  rm -f url
  (ulimit -v $limit && exec timeout -s KILL 60 "$fcps" serve s.fcps) >url 2>err &
  server=$!
  tries=0
  while [ ! -s url ] && kill -0 $server 2>/dev/null && [ $tries -lt 600 ]; do sleep 0.1; tries=$((tries + 1)); done
  if [ -s url ]; then
    got=0
    timeout -s KILL 60 "$fcps" study ask "$(sed 's|/#.*||' url)/s" --target x=3,y=4 --environment wind=0.2 >out 2>answer || got=$?
    case $got in
    0) ;;
    *) [ $limit -lt 2000000 ] && grep -q 'out of memory' answer || complain "a server with $limit kB answers $got: $(cat answer)" ;;
    esac
    kill $server
  fi
  got=0
  wait $server || got=$?
  case $got in 0 | 70 | 127) ;; *) complain "a server with $limit kB ended with $got: $(cat err)" ;; esac
done
exit $failed
