# SPDX-License-Identifier: Apache-2.0
# One noun, one owner: the first word of a name (fcps_<noun>_...) belongs to one room, so that a name says where to look.
# Names of the program begin with cli_ instead, and belong to nobody else.
set -eu
objects=$FCPS_BINARY_DIR/CMakeFiles
failed=0

# one line per name: room, name. Objects lie in the build folder as their sources lie in the tree. A room of the laboratory may
# go on with one of src: lab/run is run, and lab/report is report
present() { # objects of sources that were moved or removed may still lie in the build folder
  while IFS= read -r line; do
    source=${line%%.o:*} source=${source##*.dir/}
    [ ! -e "$FCPS_SOURCE_DIR/$source" ] || printf '%s\n' "$line"
  done
}
names() { # the targets' folders
  for folder; do
    [ ! -d "$objects/$folder" ] || find "$objects/$folder" -name '*.o' -exec nm -A -g --defined-only {} +
  done | present | sed -n 's,^.*/\(src\|lab\)/\([a-z]*\)/[^:]*:[0-9a-f]* [A-Z] \(.*\)$,\2 \3,p'
}

owned=$(names fcps_objects.dir fcps_mcp.dir fcps_report.dir fcps_lab.dir fcps_serve.dir | sed -n 's/^\([a-z]*\) fcps_\([a-z0-9]*\)\(.*\)$/\2 \1 fcps_\2\3/p' | sort -u)
[ "$(echo "$owned" | wc -l)" -gt 500 ] || { echo 'the objects of the library were not found'; exit 1; }
shared=$(echo "$owned" | awk '{ print $1, $2 }' | sort -u | awk '{ print $1 }' | uniq -d)
for noun in $shared; do
  echo "the noun \"$noun\" has several owners:"
  echo "$owned" | awk -v noun="$noun" '$1 == noun { print "  " $2 ": " $3 }'
  failed=1
done

foreign=$(names fcps.dir | awk '$2 != "main" && $2 != "openblas_num_threads_env" && $2 !~ /^cli_/ { print "  " $2 }')
[ -z "$foreign" ] || { echo 'names of the program that do not begin with cli_:'; echo "$foreign"; failed=1; }
exit $failed
