# SPDX-License-Identifier: Apache-2.0
# README.md, typed as it stands from a fresh clone, in its order and in one shell, its Python between its commands: everything
# works and prints what the page shows. make is stood in for: of `make run` it runs the command that the Makefile runs, of the
# others it knows that they exist. (scripts/fresh types both on a new machine.)
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
export OPENBLAS_CORETYPE=Haswell # the kernels that every processor with AVX2 has, so that digits can be compared
git -C "$FCPS_SOURCE_DIR" rev-parse --is-inside-work-tree >/dev/null 2>&1 || { echo 'skipped: this is no clone of git'; exit 77; }

# the tracked files as they are now, with the program where make builds it
mkdir clone bin
(cd "$FCPS_SOURCE_DIR" && git ls-files -z README.md Makefile examples | xargs -0 cp --parents -t "$folder/clone")
mkdir clone/build
ln -s "$fcps" "$FCPS_BINARY_DIR/python" clone/build/
python=$FCPS_BINARY_DIR/python/interpreter
[ -e "$python" ] || echo 'the Python package is not built here: its block is not typed'
cat >bin/make <<'END'
#!/bin/sh
grep -q "^$1:" Makefile || { echo "make has no target $1" >&2; exit 2; }
[ "$1" != run ] || eval "$(sed -n '/^run:/,/^$/ s/^\t//p' Makefile)"
END
chmod +x bin/*

# blocks in order, NUMBER.LANGUAGE; those without a language are what the commands before them print
awk '/^```/ { if (open) { open = 0; close(file) } else { open = 1; file = sprintf("%02d.%s", ++n, substr($0, 4)) }; next }
     open { print >file }' clone/README.md
[ "$(ls [0-9][0-9].sh | wc -l)" -ge 5 ] || complain 'the blocks of README.md were not found'

# one shell types them all, so that cd and export last; the output of each block is kept
{
  echo "set -e; PATH=$folder/bin:\$PATH; cd $folder/clone"
  for block in [0-9][0-9].sh [0-9][0-9].python; do echo "$block"; done | sort | while read -r block; do
    echo "exec >$folder/$block.out 2>$folder/$block.err"
    case $block$(cat "$block") in
    *.python*) [ ! -e "$python" ] || echo "'$(cat "$python")' $folder/$block" ;;
    *) echo ". $folder/$block" ;;
    esac
  done
} >typed
last=0
sh typed || last=$?
[ "$last" -eq 0 ] || complain "a command of README.md ends with $last: $(tail -n 3 ./*.err)"

# what the page shows is what is printed; digits may differ between machines
words() { sed -E 's/-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?//g' | tr -cd 'a-zA-Z_, \n' | tr -s ' '; }
for block in [0-9][0-9].; do
  before=$(printf '%02d.sh.out' $((${block%.} - 1)))
  sed '/^$/d' "$block" | words | sed '/^ *$/d' >shown
  words <"$before" >printed
  while IFS= read -r line; do
    grep -qxF -- "$line" printed || complain "README.md shows \"$line\", and it is not printed: $(cat "$before")"
  done <shown
done

# with the same kernels of the BLAS digits count, too
if grep -qw avx2 /proc/cpuinfo; then
  [ -s 02. ] || complain 'README.md does not show what make run prints'
  for block in [0-9][0-9].; do
    before=$(printf '%02d.sh.out' $((${block%.} - 1)))
    while IFS= read -r line; do
      grep -qxF -- "$line" "$before" || complain "README.md shows \"$line\", and this is printed: $(cat "$before")"
    done <"$block"
  done
fi

# and says what is true
offline=$(sed -n 's/^  learnt policy  *//p' 01.sh.out)
awk "BEGIN { exit !($offline > -0.75) }" || complain "make run learns only $offline"
grep -q 'the paper, bo-fcps  *-303  *-414  *-499' 01.sh.out || complain "make run does not name the paper: $(cat 01.sh.out)"
cd clone/my-first
[ -s coating.fcps ] || complain 'coating.fcps is not kept'
"$fcps" study best coating.fcps --target thickness=40 --environment humidity=50 --json >best
reward=$(sed 's/.*"predicted_reward":\([-0-9.e]*\).*/\1/' best)
awk "BEGIN { exit !($reward > -4) }" || complain "forty trials learn only $reward"
# what a reader measures by hand is what the booth would have measured, whose trials the study has from the run
"$fcps" study log coating.fcps --json | tail -n +41 | python3 -c 'import json, subprocess, sys
for line in sys.stdin:
    told = json.loads(line)
    booth = subprocess.run([sys.executable, "coating.py"], input=json.dumps(told), text=True, capture_output=True, check=True).stdout
    for name, value in json.loads(booth)["outcome"].items():
        if abs(told["outcome"][name] - value) > 0.01 * abs(value):
            sys.exit("ask %d: %s is %g, told as %g" % (told["ask"], name, value, told["outcome"][name]))' ||
  complain 'README.md tells what the booth would not have measured'

exit $failed
