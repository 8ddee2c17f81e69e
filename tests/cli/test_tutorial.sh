#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/tutorial.md, typed as it stands: every command works, and prints what the page shows. On processors with AVX2 the numbers are
# those of the page, to two in a thousand; elsewhere they may differ.
set -eu
export OPENBLAS_CORETYPE=Haswell # the kernels that every processor with AVX2 has
PATH=$FCPS_BINARY_DIR:$PATH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# blocks in order, NUMBER.LANGUAGE; those without a language are what the command before them prints
awk '/^```/ { if (open) { open = 0; close(file) } else { open = 1; file = sprintf("%02d.%s", ++n, substr($0, 4)) }; next }
     open { print >file }' "$FCPS_SOURCE_DIR/docs/tutorial.md"
cp ./*.yaml throw.yaml
simulator=$(ls ./*.python | head -n 1) # the second block is the same in Python
cp "$simulator" simulate.py

# numbers are left out, and bars
words() { sed -E 's/-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?//g' "$1" | tr -cd 'a-zA-Z_ \n' | tr -s ' '; }
numbers() { grep -oE -- '-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?' "$1" || true; }
are_near() {
  grep -qw avx2 /proc/cpuinfo || return 0
  numbers "$1" >first
  numbers "$2" >second
  paste first second | awk '{ d = $1 - $2; e = 2e-3 * $1; if (NF != 2 || d * d > e * e) exit 1 }'
}
count=0
for block in [0-9][0-9].*; do
  case $block in
  *.sh)
    sh -e "$block" >out 2>err || {
      echo "$(cat "$block"): $(cat err)"
      exit 1
    }
    count=$((count + 1))
    ;;
  *.python)
    [ "./$block" != "$simulator" ] && [ -e "$FCPS_BINARY_DIR/python/interpreter" ] || continue
    PYTHONPATH=$FCPS_BINARY_DIR/python "$(cat "$FCPS_BINARY_DIR/python/interpreter")" "$block" >out 2>err || {
      echo "$block: $(cat err)"
      exit 1
    }
    ;;
  *.)
    head -n "$(wc -l <"$block")" out >part
    { [ "$(words part)" = "$(words "$block")" ] && are_near "$block" part; } || {
      echo "the tutorial shows:"
      cat "$block"
      echo "and fcps prints:"
      cat part
      exit 1
    }
    ;;
  esac
done
# its Python does the same trials
if [ -e throw-2.fcps ]; then
  for study in throw throw-2; do fcps study log $study.fcps --json | grep -o '"ask":[0-9]*\|"parameters":{[^}]*}' >$study.trials; done
  cmp throw.trials throw-2.trials || { echo 'the Python of the tutorial does other trials than its commands'; exit 1; }
fi
[ "$count" -ge 9 ] || { echo "only $count commands were found"; exit 1; }
