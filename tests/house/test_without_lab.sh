# SPDX-License-Identifier: Apache-2.0
# The library, the program and the Python package work without the laboratory (FCPS_LAB=OFF). Quick: src uses only what
# src/cli/lab_absent.c replaces. Long: they are built, installed and used without it.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
objects=$FCPS_BINARY_DIR/CMakeFiles
complain() { echo "$*"; exit 1; }

# -- What is linked --
defined() { nm -g --defined-only "$@" | awk 'NF == 3 { print $3 }' | sort -u; }
cd "$FCPS_SOURCE_DIR"
"$CC" -std=c17 -Isrc -Iinclude -c src/cli/lab_absent.c -o "$work/absent.o"
of_program() { # a folder of sources; objects of sources that were moved may still be there
  find "$1" -name '*.c' | sed "s,.*,$objects/fcps.dir/&.o," | while read -r object; do [ ! -e "$object" ] || echo "$object"; done
}
of_program lab/cli >"$work/commands"
of_program src/cli >"$work/program"
[ -s "$work/commands" ] && [ -s "$work/program" ]
# shellcheck disable=SC2046
defined "$FCPS_BINARY_DIR/libfcps_lab.a" $(cat "$work/commands") >"$work/of_lab"
# shellcheck disable=SC2046
nm -g --undefined-only "$FCPS_BINARY_DIR"/libfcps.a "$FCPS_BINARY_DIR"/libfcps_[rs]*.a $(cat "$work/program") |
  awk '$1 == "U" { print $2 }' | sort -u | comm -12 - "$work/of_lab" >"$work/wanted"
defined "$work/absent.o" >"$work/absent"
[ "$(wc -l <"$work/wanted")" -gt 5 ] || complain 'the objects of the program were not found'
missing=$(comm -23 "$work/wanted" "$work/absent")
[ -z "$missing" ] || complain "src uses these of lab, which src/cli/lab_absent.c does not have:" "$missing"
if [ -n "$(defined "$FCPS_BINARY_DIR/libfcps.a" | comm -12 - "$work/of_lab")" ] || nm -D "$FCPS_BINARY_DIR/libfcps.so" |
  grep -E ' fcps_(task|experiment|oracle|run_output|run_evaluate)'; then
  complain 'the library has names of the laboratory'
fi
[ -n "${FCPS_TEST_LONG-}" ] || exit 0

# -- What is built --
build=$work/build prefix=$work/prefix
log() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }
log cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$CC" -DFCPS_LAB=OFF
log cmake --build "$build" --target program_and_package
log cmake --install "$build" --prefix "$prefix"
[ ! -e "$prefix/include/fcps/lab" ] && [ ! -e "$prefix/share/fcps/experiments" ] || complain 'parts of the laboratory are installed'
library=$(dirname "$(find "$prefix" -name libfcps.so)")
# shellcheck disable=SC2046
log "$CC" examples/own_task.c $(PKG_CONFIG_PATH=$library/pkgconfig pkg-config --cflags --libs fcps) -lm -o "$work/own_task"
LD_LIBRARY_PATH=$library "$work/own_task" | grep -q 'from the target' || complain 'a program of the library alone'

cd "$work"
fcps=$prefix/bin/fcps
log "$fcps" init puck
log "$fcps" check puck.yaml
log "$fcps" run puck.yaml --episodes 5
log "$FCPS_BINARY_DIR/fcps" run cannon --episodes 2 --no-figure --store cannon.fcps
refuses() { # words of the refusal, then the command
  words=$1
  shift
  if "$@" >"$work/said" 2>&1; then complain "not refused: $*"; fi
  grep -q "E_UNAVAILABLE.*$words" "$work/said" || { cat "$work/said"; complain "not said: $words"; }
}
for command in 'run cannon' tasks experiments 'reproduce outcome' 'sweep cannon' 'oracle cannon' 'render cannon'; do
  # shellcheck disable=SC2086
  refuses FCPS_LAB=ON "$fcps" $command
done
refuses 'made from a built-in task' "$fcps" study status cannon.fcps
"$fcps" help | grep -q reproduce && complain 'the help has commands of the laboratory'

if [ ! -e "$build/python/interpreter" ]; then
  echo "without Python: it needs $(cat "$build/python/missing")"
  exit 0
fi
PYTHONPATH=$build/python PYTHONDONTWRITEBYTECODE=1 "$(cat "$build/python/interpreter")" - <<'END'
import fcps

assert len(fcps.tasks) == 0
for attempt in (lambda: fcps.Task("cannon"), lambda: fcps.run("cannon", episodes=2), lambda: fcps.Study("cannon.fcps")):
    try:
        attempt()
    except fcps.errors.UnavailableError as error:
        assert "built without" in str(error), error
    else:
        raise AssertionError("a task without a laboratory")
problem = fcps.Problem(target={"x": (0, 1)}, parameters={"force": (0, 1)}, outcome=["place"], reward="-abs(place - x)")
with fcps.Study(None, problem) as study:
    for i in range(5):
        trial = study.ask(x=i / 5)
        study.tell(trial, place=trial.parameters["force"] ** 2)
    assert 0 <= study.policy()(x=0.5).parameters["force"] <= 1
END
