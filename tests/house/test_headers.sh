# SPDX-License-Identifier: Apache-2.0
# Every header includes what it needs: it compiles alone, and a public one also as C++. A public header opens with an example
# that compiles: C code within a function; a problem file as a new study.
set -eu
cd "$FCPS_SOURCE_DIR"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warnings='-Wall -Wextra -Wpedantic -Werror -fsyntax-only -D_POSIX_C_SOURCE=200809L'
case $CC in *clang*) cxx=clang++ ;; *) cxx=g++ ;; esac
failed=0

# a header is compiled through a file that includes it, as a user would
compile() { # compiler and flags, then the include
  compiler=$1 include=$2 suffix=$3
  printf '#include %s\ntypedef int nothing_else;\n' "$include" >"$work/alone.$suffix" # a header may be macros alone
  # shellcheck disable=SC2086
  $compiler $warnings -Iinclude -Ilab/include "$work/alone.$suffix" || { echo "$include does not compile alone: $compiler"; failed=1; }
}

for header in include/fcps/*.h lab/include/fcps/lab/*.h; do
  compile "$CC -std=c17" "<${header#*include/}>" c
  compile "$cxx -std=c++17" "<${header#*include/}>" cpp
done
for header in $(find src lab/[!i]* -name "*.h" ! -path "lab/sim/mujoco/*"); do # that module is built where its library is
  compile "$CC -std=c17 -Isrc -I." "\"${header#src/}\"" c
done

# the last indented lines of the comment that a header opens with
example() {
  awk 'NR == 1 { next } /^ \*   / { if (!was) block = ""; block = block substr($0, 6) "\n" } { was = /^ \*   / }
    /\*\// { exit } END { printf "%s", block }' "$1"
}
# what the examples speak of
cat >"$work/things.h" <<'END'
#include <fcps/fcps.h>
#include <fcps/lab/lab.h>
#include <stdio.h>
static fcps_error error;
static char text[1024], *policy_text, *answer;
static size_t length;
static fcps_learner *learner;
static fcps_policy *policy;
static fcps_study *study;
static fcps_door *door;
static fcps_problem problem;
static fcps_problem_file *file;
static const fcps_setting *settings;
static uint64_t seed;
static int64_t id, done;
static fcps_experiment *experiment;
static fcps_task *task;
static double *target, *environment, *parameters, *outcome, *position, *velocity, *goal;
static fcps_rollout rollout;
static fcps_result result;
static fcps_receipt receipt;
static fcps_ask ask;
static fcps_outlook outlook;
static fcps_study_check *check;
static const fcps_study_remark *remark;
static fcps_primitive *lift;
static fcps_motion *motion;
static fcps_demonstration demonstration;
fcps_reward_fn score;
fcps_trial_fn trial;
END
for header in include/fcps/*.h lab/include/fcps/lab/*.h; do
  case $header in */fcps.h | */lab.h) continue ;; esac
  example "$header" >"$work/example"
  case $(head -n 1 "$work/example") in
  '') echo "$header opens without an example"; failed=1 ;;
  name:*)
    cp "$work/example" "$work/example.yaml"
    "$FCPS_BINARY_DIR/fcps" study new "$work/example.fcps" --problem "$work/example.yaml" >/dev/null ||
      { echo "$header: its problem file is refused"; failed=1; } ;;
  *)
    { echo '#include "things.h"'; echo 'void show(void); void show(void) {'; cat "$work/example"; echo '}'; } >"$work/example.c"
    # shellcheck disable=SC2086
    $CC -std=c17 $warnings -Wno-unused -I"$work" -Iinclude -Ilab/include "$work/example.c" || { echo "$header: its example does not compile"; failed=1; } ;;
  esac
done
exit $failed
