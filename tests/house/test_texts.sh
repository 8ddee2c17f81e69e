# SPDX-License-Identifier: Apache-2.0
# The tracked files say the truth about themselves: one version, the program of a page, known references, links, paths and
# names that exist; and no left-overs.
set -eu
cd "$FCPS_SOURCE_DIR"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
complain() { echo "$*"; failed=1; }
git rev-parse --is-inside-work-tree >/dev/null 2>&1 || { echo 'skipped: this is no clone of git'; exit 77; }

# no left-over marks, no paths of somebody's machine, no registry by name (each machine knows its own); the patterns are
# written in pieces so that this file does not find itself
if git grep -nIwE 'FIX''ME|X''XX|HA''CK' -- ':!LICENSE'; then complain 'left-over marks, see above'; fi
if git grep -nIE "(^|[^A-Za-z0-9_./}-])/(ho""me|ro""ot|wo""rk|Us""ers)/" -- ':!LICENSE'; then complain 'paths of a machine, see above'; fi
if git grep -nIE 'py''pi\.org|pythonho''sted|deb\.deb''ian\.org|registry\.np''mjs'; then complain 'registries by name, see above'; fi

# every source file has its licence line
for file in $(git ls-files '*.c' '*.h' '*.cmake' '*CMakeLists.txt' '*.sh' 'scripts/*' '.ci/*' Makefile); do
  head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || complain "$file: no SPDX line"
done

# one version
version=$(sed -n 's/^project(fcps VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
grep -qx "version: $version" CITATION.cff || complain "CITATION.cff: version is not $version"
grep -q "^version = \"$version\"" python/pyproject.toml || complain "python/pyproject.toml: version is not $version"
grep -q "^## \[$version\]" CHANGELOG.md || complain "CHANGELOG.md: no section for $version"

# docs/c.md shows the middle of examples/own_task.c, to the letter
awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' docs/c.md >"$work/shown"
[ "$(wc -l <"$work/shown")" -ge 15 ] || complain 'docs/c.md: its program was not found'
awk -v shown="$work/shown" 'BEGIN { while ((getline line < shown) > 0) part = part line "\n" } { all = all $0 "\n" }
  END { exit !index(all, part) }' examples/own_task.c || complain 'docs/c.md: its program differs from examples/own_task.c'

# every [key] that a source cites is in the bibliography
for key in $(git grep -hoE '\[[a-z]+[0-9]{4}[a-z]?(, [a-z]+[0-9]{4}[a-z]?)*[],]' -- src include lab tests docs '*.md' |
  grep -oE '[a-z]+[0-9]{4}[a-z]?' | sort -u); do
  grep -q "^@[a-z]*{$key," docs/references.bib || complain "docs/references.bib: no entry $key"
done

# the two orders, of rooms and of sub-rooms, that ARCHITECTURE.md draws are those that test_rooms.c checks: the same rows on
# both sides, with nothing more and nothing less. A row is a room and what it stands on; those that stand on nothing are not drawn
drawn() { # the sentence before the block
  awk -v start="$1" 'index($0, start) { found = 1 } found && /^```/ { if (inside) exit; inside = 1; next } inside { $1 = $1; print }' \
    ARCHITECTURE.md | sort
}
checked() { # the table's name
  sed -n "/^static const room $1\[\]/,/^};/s/^ *{\"\([a-z_/]*\)\", \"\([a-z_/ ]*[a-z]\)\"}.*/\1 \2/p" tests/house/test_rooms.c | sort
}
compare_orders() { # the table's name, the sentence
  checked "$1" >"$work/checked"
  drawn "$2" >"$work/drawn"
  [ "$(wc -l <"$work/checked")" -gt 3 ] || complain "test_rooms.c: its table $1 was not found"
  diff "$work/checked" "$work/drawn" || complain "ARCHITECTURE.md: its order differs from the table $1 of test_rooms.c (<: the test, >: the page)"
}
compare_orders rooms 'A room uses only what is below it'
compare_orders sub_rooms 'A sub-room uses only'

# pages are short and wrapped, and their links lead somewhere
scripts/words --check || complain 'pages are too long, see above'

# a file that a page or a source names exists: src/..., lab/... and tests/... as they are, room/file.c within src or tests. Patterns with
# <>, {} or * stand for many files. Lines that git grep prints are FILE:LINE:TEXT, and each has one path
named() { # the pattern of a path, then the files
  pattern=$1
  shift
  git grep -noE "(^|[^A-Za-z0-9_./<>{}*-])$pattern" -- "$@" | sed -E 's/^([^:]*:[0-9]*):[^A-Za-z0-9]?/\1 /' | grep -v '[]<>{}*[]' || true
}
named '(src|lab|tests)/[A-Za-z0-9_./<>{}*-]*[A-Za-z0-9_/<>{}*]' '*.md' src include lab |
  grep -v ' lab/[a-z-]*\.md$' >"$work/paths" # a link to docs/lab, which scripts/words looked at
rooms=$(git ls-files src | cut -d / -f 2 | sort -u | paste -s -d '|')
named "($rooms)/[a-z0-9_/<>{}*]+\.[ch]([^a-z]|\$)" '*.md' src include lab | sed 's/[^a-z]$//' >"$work/room_paths"
for list in paths room_paths; do
  [ "$(wc -l <"$work/$list")" -gt 20 ] || complain "the $list that pages and sources name were not found"
done
while read -r place path; do # or it is a test of the laboratory, by its name
  [ -e "$path" ] || ls "tests/${path%/*}/test_${path##*/}".* >/dev/null 2>&1 || complain "$place: $path does not exist"
done <"$work/paths"
while read -r place path; do
  [ -e "src/$path" ] || [ -e "tests/$path" ] || complain "$place: $path does not exist in src or tests"
done <"$work/room_paths"

# a function, type or member that a page names is in the sources (the changelog also has names of the past, CONTRIBUTING.md examples)
git grep -hoE '[Ff][Cc][Pp][Ss]_[A-Za-z0-9_]+' -- src include lab cmake CMakeLists.txt tests | sort -u >"$work/names"
for page in README.md ARCHITECTURE.md docs/*.md docs/lab/*.md; do
  for name in $(grep -oE '\b(fcps|FCPS)_[A-Za-z0-9_]+' "$page" | sort -u | comm -23 - "$work/names"); do
    complain "$page: $name is not in the sources"
  done
done

# a test that docs/security.md names is there: room/name is test_name or fuzz_name in tests/room
for name in $(grep -oE '`[a-z_]+(/[a-z_]+)+`' docs/security.md | tr -d '`' | sort -u); do
  set -- tests/"${name%/*}"/test_"${name##*/}".* tests/"${name%/*}"/fuzz_"${name##*/}".*
  [ -e "$1" ] || [ -e "$2" ] || complain "docs/security.md: there is no test $name"
done
exit $failed
