# SPDX-License-Identifier: Apache-2.0
# `fcps mcp` as a program: its arguments, its streams, how it ends, and a study behind a server.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
cat >throw.yaml <<'END'
name: throw
target: {mark: {range: [-1, 1], unit: m}}
environment: {wind: [-0.2, 0.2]}
parameters: {tilt: [0, 1], speed: [0, 1]}
outcome: [land]
reward: -abs(mark-land)
END
"$fcps" study new throw.fcps --problem throw.yaml --learner random --seed 1 >/dev/null

expect 2 'name at least one STUDY' "$fcps" mcp
expect 2 'E_UNKNOWN_NAME: --may: "all" is not a right' "$fcps" mcp throw.fcps --may all
expect 2 '--trials' "$fcps" mcp throw.fcps --trials -1
expect 4 'none.fcps' "$fcps" mcp none.fcps
expect 2 'would both be called "throw"' "$fcps" mcp throw.fcps ./throw.fcps
expect 0 'studies for an assistant program' "$fcps" help

cat >lines <<'END'
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"sh","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{"target":{"mark":0.5},"environment":{"wind":0}}}}
not a message
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"tell","arguments":{"ask":1,"outcome":{"land":0.25}}}}
END
# answers alone are on standard output, one a line; warnings of the study are on standard error
session() { "$fcps" mcp "$@" <lines; }
expect 0 '"reward":-0.25' session throw.fcps --may tell
[ "$(wc -l <out)" -eq 4 ] || complain "not four answers: $(cat out)"
! grep -v '^{"jsonrpc":"2.0","id":' out || complain 'something else is on standard output'
grep -q '"protocolVersion":"2025-06-18"' out || complain "another revision: $(cat out)"
"$fcps" study log throw.fcps --json >log
grep -q '"client":"mcp:sh"' log || complain "the journal does not say who told: $(cat log)"
expect 0 'not allowed here: this server was started with --may read' session throw.fcps
expect 0 'trials: this takes 1 new ask, and 0 of 0 trials are left' session throw.fcps --may ask --trials 0

# docs/mcp.md: its table names the tools of each right, no more and no less, and its configuration starts the command
page=$FCPS_SOURCE_DIR/docs/mcp.md
list() {
  { sed -n 1p lines; echo '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'; } | "$fcps" "$@" 2>err |
    python3 -c 'import json, sys; print(*(tool["name"] for tool in json.loads(list(sys.stdin)[1])["result"]["tools"]), sep="\n")' | sort
}
for right in read ask tell; do
  sed -n "s/^| \`--may $right\`[^|]*|//p" "$page" | sed 's/(`fcps [^)]*)//' | grep -oE '`[a-z-]+`' | tr -d '`' >>named
  list mcp throw.fcps --may $right >tools
  sort named | cmp -s - tools || complain "--may $right gives $(paste -s -d ' ' tools); docs/mcp.md says $(paste -s -d ' ' named)"
done
arguments=$(python3 -c 'import json, re, sys
block = re.search(r"```json\n(.*?mcpServers.*?)```", open(sys.argv[1], encoding="utf-8").read(), re.S).group(1)
print(*json.loads(block)["mcpServers"]["throw"]["args"])' "$page")
list $(echo "$arguments" | sed "s|/PATH/TO|$folder|") >tools
grep -qx ask tools || complain "docs/mcp.md: its configuration ($arguments) gives $(paste -s -d ' ' tools)"

# the operator's budget holds, whatever budget the request names
sed 's/^outcome/cost: 1 + speed\n&/' throw.yaml >cost.yaml
"$fcps" study new cost.fcps --problem cost.yaml --learner random --seed 1 >/dev/null
for budget in 0 100; do
  sed -n 1p lines >spend
  printf '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{"target":{"mark":0},"environment":{"wind":0},"count":5,"budget":%s}}}\n' "$budget" >>spend
  "$fcps" mcp cost.fcps --may ask --budget 4 <spend >out 2>err
  grep -q '"field":"budget"' out || complain "a budget of $budget: $(cat out)"
done
"$fcps" study asks cost.fcps --json | python3 -c 'import json, sys; assert sum(ask["cost"] for ask in json.load(sys.stdin)["asks"]) <= 4' ||
  complain 'the budget was exceeded'

# it ends on TERM, although its input is still open
mkfifo input
"$fcps" mcp throw.fcps <input >out 2>err &
pid=$!
exec 3>input
sed -n 1p lines >&3
for _ in $(seq 300); do [ ! -s out ] || break; sleep 0.1; done
[ -s out ] || complain 'no answer came'
kill "$pid"
code=0
wait "$pid" || code=$?
[ "$code" -eq 0 ] || complain "exit code $code after SIGTERM: $(cat err)"
exec 3>&-

# behind a server
if "$fcps" serve x.fcps 2>&1 | grep -q 'built without libevent'; then exit "$failed"; fi
FCPS_TOKEN_FILE=$folder/token
export FCPS_TOKEN_FILE
"$fcps" serve throw.fcps --listen "unix:$folder/socket" >url 2>err &
pid=$!
for _ in $(seq 300); do [ ! -s url ] || break; sleep 0.1; done
sed 's/"ask":1/"ask":2/' lines >more && mv more lines
expect 0 '"reward":-0.25' session "unix:$folder/socket/throw" --may tell
[ "$(wc -l <out)" -eq 4 ] || complain "not four answers: $(cat out err)"
kill "$pid"
wait "$pid" || true
expect 0 'E_LOCKED' session "unix:$folder/socket/throw" --may tell
exit "$failed"
