#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fcps and its rivals side by side, one after another on one thread, on the same numbers; times are processor seconds.
# `make bench-peers` installs the rivals first. A rival that does not run is shown as missing.
#
#   bench/peers/run.sh BUILD-FOLDER [RESULT-FOLDER]
#
#   SEEDS=10   runs of the whole cannon protocol with BoTorch: a minute each for the joint model, three for the composite one
#   SIZES='150 500 2000'   numbers of rollouts for BoTorch's outcome model; 2000 rollouts take three minutes, 5000 (only
#              the fit) most of an hour
#   DAY_SEEDS=3   runs of each task of the workshop with each mishap: two to three minutes each with BoTorch, 36 of them
#   LAB_SEEDS=10   runs of each test function (PARTS=lab): with all rivals a minute or two each, some hours in all
#   LIMITS_SEEDS=1   runs of each world with limits (PARTS=limits): with BoTorch some minutes each
#   WORDS_SEEDS=1    runs of the process with gates and of the direct arylation (PARTS=words); fcps and random have ten
#   QUICK=1    two seeds, two sizes of each; one seed of the workshop
#   PARTS='ours rivals learn day'   the parts to measure; the numbers of other parts are kept from the last time
set -eu
cd "$(dirname "$0")/../.."
build=$1
results=${2-$build/bench-peers}
peers=.deps/peers
quick='' sizes=${SIZES:-150 500 2000} seeds=${SEEDS:-10} day_seeds=${DAY_SEEDS:-3} lab_seeds=${LAB_SEEDS:-10}
limits_seeds=${LIMITS_SEEDS:-1} words_seeds=${WORDS_SEEDS:-1}
[ -z "${QUICK-}" ] || quick=--quick sizes=${SIZES:-150 500} seeds=${SEEDS:-2} day_seeds=${DAY_SEEDS:-1} lab_seeds=${LAB_SEEDS:-2}
seeds=$(seq 1 "$seeds") day_seeds=$(seq 1 "$day_seeds") lab_seeds=$(seq 1 "$lab_seeds")
limits_seeds=$(seq 1 "$limits_seeds") words_seeds=$(seq 1 "$words_seeds")
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
mkdir -p "$results"

say() { echo "$*" >&2; }
# rival NAME ENVIRONMENT SCRIPT ARGUMENT...: adds its lines to rivals.jsonl in the end, and keeps its error messages
rival() {
  name=$1 python=$peers/$2/bin/python script=bench/peers/$3
  shift 3
  say "$name $* ..."
  "$python" "$script" "$@" >>"$results/$name.jsonl" 2>>"$results/$name.log" || say "$name did not run: see $results/$name.log"
}

measure_ours() {
  cmake --build "$build" --target bench
  cp "$build/bench.jsonl" "$results/ours.jsonl"
}

measure_rivals() {
  rm -f "$results"/rival-[!ldw]*.jsonl "$results"/rival-[!ldw]*.log "$results"/rival-dmp.*
  "$build/bench/write_shots" 5020 >"$results/shots.csv"
  rival rival-about common about.py botorch gpytorch torch ax-platform optuna scikit-learn nlopt bayesian-optimization numpy
  rival rival-about emukit about.py emukit GPy numpy
  rival rival-about motion about.py movement-primitives gymnasium-robotics mujoco
  for one in botorch composite ax optuna scikit_learn bayes_opt; do
    rival rival-ask-$one common rivals.py $quick $one <"$results/shots.csv"
  done
  rival rival-ask-emukit emukit rivals.py $quick emukit <"$results/shots.csv"
  for n in $sizes; do
    rival rival-retarget common retarget.py "$n" $((n > 2000 ? 0 : n > 500 ? 2 : 10)) <"$results/shots.csv"
  done
  rival rival-dmp motion dmp.py
  rival rival-rollout motion rollout.py 20
}

# the longest, two at a time: only their processor time is counted, and their rewards do not depend on the clock
measure_learning() {
  rm -f "$results"/rival-learn-*
  # shellcheck disable=SC2086
  rival rival-learn-joint common learn.py "$build/bench/shoot" joint $seeds &
  # shellcheck disable=SC2086
  rival rival-learn-composite common learn.py "$build/bench/shoot" composite $seeds
  wait
}

# the workshop without a mishap and with each, fcps and BoTorch one after the other
measure_day() {
  rm -f "$results"/rival-day-*
  for task in reactor reach dosing; do
    for mishap in clean failures=5 typo=50 unit=3; do
      # shellcheck disable=SC2086
      rival rival-day-fcps common ordinary_day_fcps.py "$build/fcps" $task $mishap $day_seeds
      # shellcheck disable=SC2086
      rival rival-day-botorch common ordinary_day.py "$build/bench/workshop" $task $mishap $day_seeds
    done
  done
}

# the test functions on which no setting was chosen
measure_lab() {
  rm -f "$results"/rival-lab-*
  for problem in hover gear dixon griewank wing rosenbrock michalewicz camel styblinski borehole piston plateau trade balance batch; do
    for method in fcps optuna plain composite ax; do
      # shellcheck disable=SC2086
      rival rival-lab-$method common lab.py "$build/bench" $problem $method $lab_seeds
    done
  done
}

# the worlds with limits; BoTorch and SafeOpt where the page compares them, Ax in those without contexts
measure_limits() {
  rm -f "$results"/rival-limits-*
  for world in throw hartmann pendulum vessel beam reducer; do
    methods='fcps penalty botorch ax'
    case $world in throw) methods='fcps penalty botorch' ;; hartmann | pendulum) methods='fcps penalty' ;; esac
    for method in $methods; do
      # shellcheck disable=SC2086
      rival rival-limits-$method common limits.py "$build" $world $method $limits_seeds
    done
  done
  for world in throw hartmann pendulum; do
    # shellcheck disable=SC2086
    rival rival-limits-safeopt emukit limits.py "$build" $world safeopt $limits_seeds
  done
}

# words: a process with three gates, and the table of a direct arylation
measure_words() {
  rm -f "$results"/rival-words-*
  for method in fcps optuna plain composite baybe ax; do
    # shellcheck disable=SC2086
    rival rival-words-$method common words.py process "$build" $method $words_seeds
  done
  for method in fcps fcps-known random; do
    # shellcheck disable=SC2046
    rival rival-words-$method common words.py arylation "$build" $peers/arylation.csv $method $(seq 1 10)
  done
  for method in baybe baybe-rdkit; do
    # shellcheck disable=SC2086
    rival rival-words-$method common words.py arylation "$build" $peers/arylation.csv $method $words_seeds
  done
}

for part in ${PARTS:-ours rivals learn day}; do
  case $part in
    ours) measure_ours ;;
    rivals) measure_rivals ;;
    learn) measure_learning ;;
    day) measure_day ;;
    lab) measure_lab ;;
    limits) measure_limits ;;
    words) measure_words ;;
    *) say "PARTS: \"$part\" is none of ours, rivals, learn, day, lab, limits, words"; exit 2 ;;
  esac
done
cat "$results"/rival-*.jsonl >"$results/rivals.jsonl"
python3 bench/tables.py "$results" | tee "$results/tables.txt"
say "the page: python3 bench/tables.py $results docs/lab/benchmarks.md"
