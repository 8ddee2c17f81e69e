#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A loop for a robot: ask, move, tell. You may stop it at any point and start it again. It continues where it stopped,
# because a client gets its unfinished ask again, and the study keeps every result that it has acknowledged.
#   ./loop.sh [TRIALS] [STUDY]
set -eu
here=$(dirname "$0")
trials=${1:-20}
study=${2:-throw.fcps}
fcps=${FCPS:-fcps}

# The robot. Here it is a formula for where the ball lands, rounded as a person with a tape measure would.
move_robot() {
  awk -v v="$1" -v a="$2" 'BEGIN { printf "%.2f\n", v * v * sin(2 * a) / 9.81 }'
}

[ -e "$study" ] || "$fcps" study new "$study" --problem "$here/throw.yaml" --seed 1
done_so_far=$("$fcps" study log "$study" --json | wc -l)
while [ "$done_so_far" -lt "$trials" ]; do
  target=$(awk -v n="$done_so_far" 'BEGIN { printf "%.3f", (n * 0.618034 * 8) % 8 }')
  # Two steps: inside eval "$(...)", set -e would not see a refused ask, and the robot would repeat its last move.
  answer=$("$fcps" study ask "$study" --target x="$target" --client robot-1 --shell)
  eval "$answer" # sets ask, x, speed and tilt
  land=$(move_robot "$speed" "$tilt")
  "$fcps" study tell "$study" "$ask" --outcome land="$land" --client robot-1
  done_so_far=$((done_so_far + 1))
done
"$fcps" study best "$study" --target x=5
