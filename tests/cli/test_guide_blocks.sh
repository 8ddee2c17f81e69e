# SPDX-License-Identifier: Apache-2.0
# Every shell block of every page is typed by a test. Eight pages have tests of their own; of all others the lines run here,
# in their order, but for those that need what a test does not have. Numbers of trials are smaller. (python/docs types the
# Python of all pages.)
. "$FCPS_SOURCE_DIR/tests/cli/expect.sh"
PATH=$FCPS_BINARY_DIR:$PATH
cp "$FCPS_SOURCE_DIR"/examples/simulator/* .

# page          its test
cat >elsewhere <<'END'
tutorial.md     cli/tutorial
recipes.md      cli/recipes
program.md      cli/guides
by-hand.md      cli/guides
files.md        cli/guides
limits.md       cli/guides
words.md        cli/choices
serve.md        serve/docs
END
# what a line contains   why it is not typed here
cat >exceptions <<'END'
pip                      needs the network; scripts/test-python installs the package
wheel                    needs the network; scripts/test-python makes a wheel
postgresql://            needs a server of PostgreSQL; store/postgresql tries one where it is there
sbatch                   needs a cluster with Slurm; experiment/engines stands in for it
slurm                    needs a cluster with Slurm; experiment/engines stands in for it
serve                    goes on until it is ended; serve/docs and cli/recipes start one
http://                  needs that server; serve/leases starts workers on one
END

typed=0
for page in "$FCPS_SOURCE_DIR"/docs/*.md "$FCPS_SOURCE_DIR"/docs/lab/*.md; do
  name=$(basename "$page")
  ! grep -q "^$name " elsewhere || continue
  awk '/^```/ { open = !open && $0 == "```sh"; next } open' "$page" | sed -e 's/--trials [0-9]*/--trials 8/' \
    -e 's/--episodes [0-9]*/--episodes 8/' -e 's/--seeds 1-[0-9]*/--seeds 1000-1001/' >lines
  while IFS= read -r line; do
    is_typed=1
    while read -r what why; do
      case $line in *"$what"*) is_typed=0 ;; esac
    done <exceptions
    [ "$is_typed" -eq 1 ] && [ -n "$line" ] || continue
    sh -e -c "$line" >out 2>err || complain "${page#"$FCPS_SOURCE_DIR"/}: $line: $(cat err)"
    typed=$((typed + 1))
  done <lines
done
[ "$typed" -ge 2 ] || complain "only $typed lines were found"

# docs/study.md: the examples of its keys are one problem file, and each dimension of its table is one
keys() { sed -n '/^## '"$1"'/,/^## '"$2"'/s/^| `[a-z]*` |.*| `\([^`]*\)` |$/\1/p' "$FCPS_SOURCE_DIR/docs/study.md"; }
keys Keys Dimensions | sed '/^command\|^timeout_s\|^mode/d' >keys.yaml
printf 'x,y,wind\n1,2,0\n' >orders.csv
[ "$(wc -l <keys.yaml)" -eq 14 ] || complain "docs/study.md has not fourteen keys: $(cat keys.yaml)"
expect 0 'study status keys.fcps' "$fcps" run keys.yaml --episodes 3 --no-figure
{ printf 'reward: told\noutcome: [a]\nparameters:\n  tool: [mill, saw]\n'; keys Dimensions Formulas | awk '{ print "  d" NR "_" $0 }'; } >dimensions.yaml
[ "$(wc -l <dimensions.yaml)" -eq 11 ] || complain "docs/study.md has not seven keys of dimensions: $(cat dimensions.yaml)"
expect 0 'made' "$fcps" study new dimensions.fcps --problem dimensions.yaml

# the tests that are named exist, and an exception that no page needs is left out
while read -r page test; do
  [ -e "$FCPS_SOURCE_DIR/docs/$page" ] || complain "there is no docs/$page"
  case $test in
  python/*) file=python/tests/test_${test#python/}.py ;;
  *) file=tests/${test%/*}/test_${test#*/}.sh ;;
  esac
  grep -q -e "$page" -e 'docs/.*\*.md' "$FCPS_SOURCE_DIR/$file" || complain "$file does not type docs/$page"
done <elsewhere
while read -r what why; do
  grep -q -- "$what" "$FCPS_SOURCE_DIR"/docs/*.md "$FCPS_SOURCE_DIR"/docs/lab/*.md || complain "no page needs the exception $what"
done <exceptions

exit $failed
