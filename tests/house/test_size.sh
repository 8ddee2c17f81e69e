# SPDX-License-Identifier: Apache-2.0
# The library stays small, each room can be looked over, and its room model can be read. Limits: the lines of the .c files of
# the library, all files, the files of a folder, and of model the lines, files and largest knot. A knot is a set of units that
# include each other, directly or not (x.c and x.h are one unit); to change one of them, one must know all.
set -eu
cd "${FCPS_SOURCE_DIR:-.}"
most_lines=12702 most_files=43 most_knot=2
most_library_lines=71154 most_files_in_all=502 most_in_a_folder=32
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# the units of a room's largest knot, on one line; nothing if no unit includes itself through another
largest_knot() { # src, the room
  (cd "$1" && find "$2" -name '*.[ch]' -exec grep -H '^ *# *include "' {} + || true) |
    sed -n 's/^\(.*\)\.[ch]: *# *include "\(.*\)\.h".*/\1 \2/p' |
    awk '$1 != $2 { reach[$1, $2] = 1; unit[$1]; unit[$2] }
      END {
        for (k in unit) for (i in unit) if ((i, k) in reach) for (j in unit) if ((k, j) in reach) reach[i, j] = 1
        for (i in unit) {
          count = 0; words = ""
          for (j in unit) if ((i, j) in reach && (j, i) in reach) { count++; words = words " " j }
          if (count > most) { most = count; found = words }
        }
        print substr(found, 2)
      }'
}

# a knot of three is found, and who only hangs on it is not in it
mkdir -p "$work/room/part"
echo '#include "room/part/b.h"' >"$work/room/a.c"
echo '#include "room/c.h"' >"$work/room/part/b.h"
printf '#include "room/c.h"\n#  include "room/a.h"\n' >"$work/room/c.c"
printf '#include "room/a.h"\n#include "room/e.h"\n' >"$work/room/d.h"
found=$(largest_knot "$work" room | tr ' ' '\n' | sort | paste -s -d ' ')
[ "$found" = 'room/a room/c room/part/b' ] || { echo "the knot was not found, but: $found"; exit 1; }

failed=0
judge() { # what, how many, at most
  echo "$1: $2, at most $3"
  [ "$2" -le "$3" ] || failed=1
}
judge 'src/model: lines' "$(find src/model -name '*.[ch]' -exec cat {} + | wc -l)" "$most_lines"
judge 'src/model: files' "$(find src/model -name '*.[ch]' | wc -l)" "$most_files"
knot=$(largest_knot src model)
judge 'src/model: units in the largest knot' "$(echo "$knot" | wc -w)" "$most_knot"
echo "the knot: $knot"
# what libfcps.so is made of: CMakeLists.txt leaves out the same rooms
judge 'libfcps: lines of its .c files' \
  "$(find src -name '*.c' ! -path 'src/cli/*' ! -path 'src/report/*' ! -path 'src/serve/*' ! -path 'src/mcp/*' -exec cat {} + | wc -l)" "$most_library_lines"
judge 'src, include and lab: files' "$(find src include lab -name '*.[ch]' | wc -l)" "$most_files_in_all"

# the folder with most files, and how many, on one line
fullest() {
  find "$@" -type f | sed 's,/[^/]*$,,' | sort | uniq -c | sort -n | tail -1 | sed 's/^ *//'
}
mkdir -p "$work/full/one" "$work/full/two"
touch "$work/full/one/a.c" "$work/full/two/a.c" "$work/full/two/b.py"
[ "$(fullest "$work/full")" = "2 $work/full/two" ] || { echo 'the folder with most files was not found'; exit 1; }
full=$(fullest src lab)
judge "${full#* }: files" "${full%% *}" "$most_in_a_folder"
exit $failed
