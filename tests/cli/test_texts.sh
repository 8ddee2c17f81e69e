# SPDX-License-Identifier: Apache-2.0
# Texts of users, files and programs cannot control a terminal, run in a spreadsheet, or break a drawing. JSON and imports
# keep them exactly.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

cat >hostile.yaml <<'YAML'
name: "n\e]0;owned\a\nforged: line"
target: {x: {range: [0, 1], unit: "u\e[31m"}}
parameters: {a: {range: [0, 1], unit: "\u009b31m\u202eabc"}}
outcome: [o]
achieved: {x: o}
reward: "-distance"
learner: {name: outcome, initial: 2}
run: {command: [python3, program.py], timeout_s: 20}
YAML
cat >program.py <<'PYTHON'
import json, sys
for line in sys.stdin:
    a = json.loads(line)
    if a["ask"] == 2:
        print("\x1b]0;title\x07 before\nfcps: E_FORGED: a line\rover", file=sys.stderr, flush=True)
        print(json.dumps({"ask": a["ask"], "failed": "m\x1b[2J\nfcps: forged\u202e"}), flush=True)
    else:
        print(json.dumps({"ask": a["ask"], "outcome": {"o": a["parameters"]["a"]}}), flush=True)
PYTHON
esc=$(printf '\033') bell=$(printf '\007') c1=$(printf '\302\233') bidi=$(printf '\342\200\256') bad=$(printf '\377')
client="c$esc]0;x$bell
fcps: forged$c1$bidi$bad"

# plain COMMAND...: its output has no control character except line ends, no mark of direction, and only UTF-8
plain() {
  "$@" >out 2>err || :
  cat out err >both
  [ -s both ] || complain "$*: prints nothing"
  if LC_ALL=C grep -q '[[:cntrl:]]' both || LC_ALL=C grep -qF -e "$c1" -e "$bidi" both || ! iconv -f UTF-8 -t UTF-8 <both >/dev/null 2>&1; then
    complain "$* shows: $(cat -v both | head -c 300)"
  fi
  ! grep -q '^fcps: forged\|^forged\|^fcps: E_FORGED' both || complain "$* shows a forged line"
}

plain "$fcps" study new h.fcps --problem hostile.yaml
plain "$fcps" study ask h.fcps --target x=0.5 --client "$(printf 'c\033]0;x\007\302\233\342\200\256')"
plain "$fcps" study tell h.fcps 1 --failed "$(printf 'r\033[2J\nfcps: forged')"
plain "$fcps" study ask h.fcps --target x=0.5 --client "$(printf 'c\033]0;x\007\302\233\342\200\256')"
plain "$fcps" study tell h.fcps --target x=0.5 --executed a=0.3 --outcome o=0.3 --key "$(printf 'k\033[2J')"
for command in status log 'best --target x=0.3'; do
  # shellcheck disable=SC2086
  plain "$fcps" study ${command%% *} h.fcps $(expr "$command" : '[a-z]* \(.*\)' || :)
done
plain "$fcps" study ask "no$esc[2J.fcps" --target x=1
plain "$fcps" study ask h.fcps --target "$(printf 'q\033[2J=1')"
plain "$fcps" study ask h.fcps --target x=0.1 --client "$client"
plain "$fcps" run hostile.yaml --episodes 4 --store r.fcps --quiet
plain "$fcps" run hostile.yaml --episodes 6 --store r.fcps
plain "$fcps" study log r.fcps
plain "$fcps" study status r.fcps
grep -q '\\x1b' both || complain 'the escape is not made visible'

# tables and JSON are exact, except on a terminal
printf 'x,id\n0.5,%s\n0.6,%s\n' "$esc[2J$bell" "$c1$bidi" >control.csv
cat >terminal.py <<'PYTHON'
import os, pty, sys

pid, end = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
shown = b""
try:
    while part := os.read(end, 65536):
        shown += part
except OSError:
    pass
os.waitpid(pid, 0)
sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
PYTHON
for command in 'study export r.fcps' 'study export r.fcps --format jsonl' 'study log r.fcps --json' 'study status h.fcps --json' 'retarget r.fcps control.csv'; do
  # shellcheck disable=SC2086
  "$fcps" $command >exact 2>/dev/null
  # shellcheck disable=SC2086
  plain python3 terminal.py "$fcps" $command
  grep -qF -e "$esc" -e "$bidi" -e '\u001b' exact || complain "$command: the bytes are not exact"
  grep -q . out || complain "$command: a terminal shows nothing"
done
grep -q '^0.5,\\x1b\[2J\\x07,' out || complain "retarget on a terminal: $(cat out)"
cat >experiment.yaml <<'YAML'
name: small
title: "T\e]0;x\a\nforged: line"
task: {name: cannon, settings: {grid: 3}}
episodes: 4
evaluate: 2
seeds: 1-2
learners:
  - {label: a, title: "A\e[2J", learner: random}
claims:
  - {claim: "It\e[2J\nforged: line", kind: reaches, rows: [a], measure: offline, at: 4, level: -50}
figures:
  - {kind: curves, name: offline, title: "C\e[1m\x01", measure: offline, rows: [a]}
YAML
plain "$fcps" experiments ./experiment.yaml
plain "$fcps" reproduce ./experiment.yaml --out rep

# JSON has the exact text
"$fcps" study log r.fcps --json >out
python3 - out <<'PYTHON' || complain 'JSON has another text'
import json, sys
messages = [json.loads(line).get("message", "") for line in open(sys.argv[1], encoding="utf-8")]
sys.exit(not any("m\x1b[2J\nfcps: forged\u202e" in m for m in messages))
PYTHON

# drawings and pages are well formed
if command -v gnuplot >/dev/null; then
  "$fcps" study status r.fcps --figure r.svg >/dev/null
  python3 -c 'import sys, xml.dom.minidom as m; [m.parse(f) for f in sys.argv[1:]]' r.svg rep/small/offline.svg 2>err || complain "a drawing is malformed: $(tail -1 err)"
fi
! LC_ALL=C grep -q "$esc" rep/report.html || complain 'the report holds an escape'
# also if results of another program are beside ours
cp -r rep/small rep/foreign
python3 - <<'PYTHON'
import json
s = json.load(open("rep/foreign/summary.json"))
s["name"] = 's"><script>x</script>'
s["seeds"] = s["blas"] = "<script>x</script>"
s["order"] = -2**63
for row in s["rows"]: row["place"] = -3
json.dump(s, open("rep/foreign/summary.json", "w"))
PYTHON
expect 0 'met' "$fcps" reproduce ./experiment.yaml --out rep -q
! grep -q '<script>' rep/report.html || complain 'the report runs what a result file holds'

# a spreadsheet runs no cell, and what is imported is the same
cat >told.yaml <<'YAML'
name: told
target: {x: [-9, 9]}
parameters: {a: [-9, 9]}
outcome: [o]
reward: told
learner: random
YAML
"$fcps" study new t.fcps --problem told.yaml >/dev/null
i=0
for message in '=HYPERLINK("x")' '+1+1' '-2+3' '@SUM(1)' "$(printf '\t=1')" "'=1" "''=1" "'plain" '-5' 'plain' '"=1' "$(printf '\r=1')"; do
  i=$((i + 1))
  "$fcps" study ask t.fcps --target x=-1 >/dev/null
  "$fcps" study tell t.fcps $i --failed "$message" >/dev/null 2>err || complain "tell: $(cat err)"
done
"$fcps" study export t.fcps -o t.csv
python3 - t.csv <<'PYTHON' || complain "a cell begins a formula: $(cat t.csv)"
import csv, sys
def is_number(cell):
    try: float(cell)
    except ValueError: return False
    return True
bad = [c for row in csv.reader(open(sys.argv[1], newline="")) for c in row if c[:1] in "=+-@\t\r" and c and not is_number(c)]
sys.exit(bool(bad))
PYTHON
"$fcps" study new u.fcps --problem told.yaml >/dev/null
"$fcps" study import u.fcps t.csv >/dev/null 2>err || complain "import: $(cat err)"
"$fcps" study export u.fcps -o u.csv
sed 's/^[0-9]*,/,/' t.csv >t.rows
sed 's/^[0-9]*,/,/' u.csv >u.rows
cmp -s t.rows u.rows || complain "export and import change a text: $(diff t.rows u.rows)"
messages() { "$fcps" study log "$1" --json | python3 -c 'import json, sys; print([json.loads(l).get("message") for l in sys.stdin])'; }
[ "$(messages t.fcps)" = "$(messages u.fcps)" ] || complain "other messages after export and import: $(messages t.fcps) $(messages u.fcps)"

# columns that retarget carries: numbers stay numbers
printf "x,note\n-1,=1+1\n+2,-3\n" >contexts.csv
"$fcps" retarget t.fcps contexts.csv >answer.csv 2>err || complain "retarget: $(cat err)"
grep -q "^-1,'=1+1," answer.csv && grep -q '^+2,-3,' answer.csv || complain "retarget writes: $(cat answer.csv)"

# the largest and smallest numbers of a double
for rewards in '0 5e-324' '1e-310 1e-308' '-1e99 1e99' '3 3'; do
  rm -f edge.fcps
  "$fcps" study new edge.fcps --problem told.yaml --learner bo-cps >/dev/null
  a=0.1
  for reward in $rewards; do
    "$fcps" study tell edge.fcps --target x=1 --executed a=$a --outcome o=1 --reward $reward >/dev/null
    a=0.5
  done
  expect 0 'learning curve' "$fcps" study status edge.fcps
done
exit $failed
