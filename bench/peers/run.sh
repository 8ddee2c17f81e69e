#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fcps and its rivals side by side: one suggestion, on the same shots, in processor seconds of one thread, one after another.
# `make bench-peers` installs the rivals first. A rival that does not run is shown as missing.
#
#   bench/peers/run.sh BUILD-FOLDER [RESULT-FOLDER]
set -eu
cd "$(dirname "$0")/../.."
build=$1
results=${2-build/bench-peers}
peers=.deps/peers
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
mkdir -p "$results"

"$build/bench/write_shots" 520 >"$results/shots.csv"
rm -f "$results/ours.jsonl" "$results/rivals.jsonl"
FCPS_BENCH_JSON=$results/ours.jsonl "$build/bench/bench_ask"
for rival in botorch composite ax optuna scikit_learn bayes_opt emukit; do
  python=$peers/common/bin/python
  [ $rival != emukit ] || python=$peers/emukit/bin/python
  echo "$rival ..." >&2
  "$python" bench/peers/rivals.py $rival <"$results/shots.csv" >>"$results/rivals.jsonl" 2>"$results/$rival.log" ||
    echo "$rival did not run: see $results/$rival.log" >&2
done
python3 bench/peers/compare.py "$results"
