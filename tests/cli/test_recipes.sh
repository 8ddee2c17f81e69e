# SPDX-License-Identifier: Apache-2.0
# docs/recipes.md, typed from top to bottom in an empty folder: every command works, and leaves the study that a reader expects.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
PATH=$FCPS_BINARY_DIR:$PATH
awk '/^```/ { if (open) { open = 0; close(file) } else { open = 1; file = sprintf("%02d.%s", ++n, substr($0, 4)) }; next }
     open { print >file }' "$FCPS_SOURCE_DIR/docs/recipes.md"
count=0
serve() { # a server goes on until it is ended; it prints its address
  ! "$fcps" serve x.fcps 2>&1 | grep -q 'built without libevent' || return 0
  sed 's/127.0.0.1:8017/127.0.0.1:0/; s/^/exec /' "$1" >serve.sh
  FCPS_TOKEN_FILE=$folder/token sh -e serve.sh >url 2>err &
  server=$!
  for _ in $(seq 300); do [ ! -s url ] || break; sleep 0.1; done
  grep -q '^http://127.0.0.1:[0-9]*/#token=' url || complain "docs/recipes.md: $(cat "$1"): $(cat url err)"
  kill $server || :
  wait $server || complain "the server of docs/recipes.md ends with $?"
}
for block in [0-9][0-9].sh; do
  case $(cat "$block") in
  'fcps serve'*) serve "$block" ;;
  *) sh -e "$block" >out 2>err || complain "docs/recipes.md: $(cat "$block"): $(cat err)" ;;
  esac
  count=$((count + 1))
done
[ "$count" -ge 9 ] || complain "only $count blocks were found"

expect 0 '8 results: 7 with an outcome, 0 without, 1 failed; 1 more not used; 5 asks unfinished' fcps study status film.fcps
expect 0 'A17,40,50,' cat settings.csv
[ -s report.html ] || complain 'there is no report'
exit $failed
