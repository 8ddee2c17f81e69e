# SPDX-License-Identifier: Apache-2.0
# Every command and every program of the guides works as it stands; of other pages, the commands exist. README.md and
# docs/tutorial.md have tests of their own.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
PATH=$FCPS_BINARY_DIR:$PATH
cp "$FCPS_SOURCE_DIR"/examples/simulator/* .
guides='program.md by-hand.md files.md limits.md' # in this order, in one folder
for guide in $guides; do cat "$FCPS_SOURCE_DIR/docs/$guide"; done >guides
awk '/^```/ { if (open) { open = 0; close(file) } else { open = 1; file = sprintf("%02d.%s", ++n, substr($0, 4)) }; next }
     open { print >file }' guides

# a study in which the asks of the page are unfinished, and its contexts
printf 'x,y,wind\n1,2,0\n-5,3,0.5\n' >contexts.csv
fcps study new throw.fcps --problem throw.yaml >/dev/null
fcps study ask throw.fcps --target x=3,y=4 --environment wind=0.2 --count 7 >/dev/null
count=0
for block in [0-9][0-9].sh; do
  sed -i 's/--episodes 100/--episodes 12/' "$block"
  sh -e "$block" >out 2>err || complain "a guide: $(cat "$block"): $(cat err)"
  count=$((count + 1))
done
[ "$count" -ge 4 ] || complain "only $count blocks were found"
expect 0 '"outcome_sd":{"land_x":0.1[0-9]*,"land_y":0.2' fcps study log throw.fcps --json

# the lines between fcps and a program are those of the page
grep -q '^fcps  *{"ask": 7, ' ./[0-9][0-9]. || complain 'the page does not show the lines'

# the programs of the page, with a robot that they can move
cat >robot.py <<'END'
import math, os
class robot:
    def stop(): pass
    def move(p):
        turn, far = math.radians(p["turn"]), p["speed"] ** 2 / 9.81
        return {"land_x": far * math.cos(turn), "land_y": far * math.sin(turn)}
def connect(address): return robot
END
for block in [0-9][0-9].python; do
  { cat robot.py; cat "$block"; } >program.py
  if grep -q 'sys.stdin' "$block"; then
    sed 's/python3, simulate.py/python3, program.py/' throw.yaml >program.yaml
    expect 0 '6 results: 6 with an outcome' fcps run program.yaml --episodes 6 --no-figure
  else
    FCPS_WORKER=2 python3 program.py || complain "a guide: $(cat "$block") does not run"
  fi
done

# commands that other pages name: each command and each option is in its help
commands=$(fcps --help | sed -n '/^Example/q; s/^  \([a-z]*\) .*/\1/p' | paste -s -d '|')
for page in "$FCPS_SOURCE_DIR"/docs/*.md "$FCPS_SOURCE_DIR"/docs/lab/*.md "$FCPS_SOURCE_DIR"/README.md; do
  { grep -oE '`fcps [a-z]+[^`|]*' "$page" | sed 's/^`//' || true
    awk '/^```/ { open = !open } open && /^fcps / && !/ (=|x|ms) /' "$page" | grep -E "^fcps ($commands) " || true; } |
    sed 's/#.*//' >named
  while read -r fcps_word command sub rest; do
    case $command in study | policy) help="$command $sub" ;; *) help=$command rest="$sub $rest" ;; esac
    case $help in 'study ' | 'study COMMAND' | 'policy ' | help) continue ;; esac
    fcps $help --help >help.txt 2>&1 || { complain "$page: there is no \"fcps $help\""; continue; }
    for option in $(printf '%s\n' "$rest" | grep -oE -- '--[a-z][a-z-]+' | sort -u); do
      grep -q -- "$option" help.txt || complain "$page: fcps $help has no $option"
    done
  done <named
done

# a reader that closes the pipe early (head) does no harm
fcps study log throw.fcps --json | head -n 1 >out || complain 'log | head fails'
(fcps run throw.yaml --episodes 30 --store piped.fcps --no-figure 2>err; echo "$?" >code) | head -n 2 >out
[ "$(cat code)" -eq 0 ] && [ ! -s err ] || grep -qv '^fcps:' err || complain "run | head ends with $(cat code): $(cat err)"
expect 0 '30 results: 30 with' fcps study status piped.fcps
(fcps study export piped.fcps 2>err; echo "$?" >code) | head -c 10 >out
[ "$(cat code)" -eq 0 ] || complain "export | head ends with $(cat code): $(cat err)"
expect 4 'could not be written' sh -c "'$fcps' study log throw.fcps >/dev/full"

exit $failed
