# SPDX-License-Identifier: Apache-2.0
# `fcps render` and `fcps oracle` for robots: files of the right kind, and messages about wrong or missing things.
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"

# without the module the tasks are shown with the reason and the remedy
FCPS_ROBOTS_DIR=$folder "$fcps" tasks >tasks || complain 'fcps tasks fails without robots'
grep -q 'scripts/setup-robots' tasks || complain 'fcps tasks does not say what to do'
expect 2 'scripts/setup-robots' env FCPS_ROBOTS_DIR="$folder" "$fcps" render thrower -o x.png

if "$fcps" tasks | grep -q 'not here'; then
  echo 'skipped: the robot module is not built (scripts/setup-robots, then build again)'
  [ $failed -eq 0 ] && exit 77
  exit 1
fi

throw='hand_x=0,hand_y=1.25,hand_z=0,speed_x=0.5,speed_y=0.5,speed_z=0.5'
expect 2 'hand_q' "$fcps" render thrower --parameters hand_q=1 -o x.png
expect 2 'is missing' "$fcps" render thrower --parameters hand_x=0 -o x.png
expect 2 'parameters.hand_y' "$fcps" render thrower --parameters "${throw%,hand_y*},hand_y=9,${throw#*,hand_y=1.25,}" -o x.png
expect 2 'is given twice' "$fcps" render thrower --parameters "$throw" --parameters "$throw" -o x.png
expect 2 'must end with' "$fcps" render thrower --parameters "$throw" -o x.bmp
expect 2 'ascend' "$fcps" render thrower --stages 20,10 -o x.png
expect 2 'size' "$fcps" render thrower --size 10 -o x.png
[ ! -e x.png ] || complain 'a picture was written in spite of an error'

# pictures; a machine that cannot draw says so
got=0
"$fcps" render thrower --parameters "$throw" --moments 2 --size 160x120 -o throw.png >out 2>err || got=$?
if [ $got -ne 0 ]; then
  grep -q 'pictures need EGL' err || complain "render: $(cat err)"
  echo 'no pictures here: the rest is skipped'
  exit $failed
fi
[ "$(head -c 8 throw.png | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ] || complain 'throw.png is no PNG'
"$fcps" render thrower --stages 0,6 --size 64x48 -o learn.png 2>err || complain "render --stages: $(cat err)"
grep -q 'after 6 rollouts' err || complain 'render --stages does not say how far it came'
# films: a quarter of a minute of drawing, so only the long form makes them
if [ -n "${FCPS_TEST_LONG:-}" ] && command -v ffmpeg >/dev/null; then
  "$fcps" render thrower --parameters "$throw" --size 160x120 -o throw.mp4 2>err || complain "render .mp4: $(cat err)"
  [ -s throw.mp4 ] || complain 'throw.mp4 is empty'
  # a throw takes only a moment, so it is shown in slow motion unless an option says otherwise
  frames() { ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 "$1" | tr -dc 0-9; }
  "$fcps" render thrower --parameters "$throw" --size 64x48 --slow 1 -o fast.mp4 2>err || complain "--slow: $(cat err)"
  if command -v ffprobe >/dev/null; then
    [ "$(frames throw.mp4)" -ge 75 ] && [ "$(frames fast.mp4)" -lt 60 ] ||
      complain "frames: $(frames throw.mp4) slow, $(frames fast.mp4) fast"
  fi
  expect 4 'nowhere/throw.mp4: cannot be created' "$fcps" render thrower --parameters "$throw" --size 64x48 -o nowhere/throw.mp4
fi
mkdir empty
expect 2 'a film needs ffmpeg' env PATH="$folder/empty" "$fcps" render thrower --parameters "$throw" -o x.mp4

# the oracle keeps outcomes: the second time it simulates nothing and prints the same
mkdir cache
FCPS_CACHE_DIR=$folder/cache "$fcps" oracle thrower --rollouts 20 --task-set contexts=3 >first
kept=$(cat cache/*.rollouts | wc -c)
FCPS_CACHE_DIR=$folder/cache "$fcps" oracle thrower --rollouts 20 --task-set contexts=3 >second
cmp -s first second || complain 'the oracle changed its mind'
[ "$kept" -gt 0 ] && [ "$kept" -eq "$(cat cache/*.rollouts | wc -c)" ] || complain 'outcomes were not kept'
exit $failed
