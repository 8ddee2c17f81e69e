#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the rivals of `make bench-peers` with pip into .deps/peers, in the versions that docs/lab/benchmarks.md names.
# They take some gigabytes, and nothing else needs them. The script may be run again, and is quick if everything is
# there. `bench/peers/setup.sh work` installs only one of the environments.
set -eu
only=${1-}
cd "$(dirname "$0")/../.."
peers=.deps/peers
mkdir -p $peers

# environment NAME: creates or completes it, unless it has all of its list
begin() {
  [ -z "$only" ] || [ "$only" = "$1" ] || return 1
  ! cmp -s "bench/peers/$1.txt" "$peers/$1/complete" || return 1
  rm -f "$peers/$1/complete"
  python3 -m venv "$peers/$1"
}
end() { cp "bench/peers/$1.txt" "$peers/$1/complete"; }
give_up() { echo "bench-peers: $1 could not be installed and will be missing" >&2; }

# install NAME: installs the packages of NAME.txt as wheels; then builds those of NAME-source.txt with them. Every archive
# has its SHA-256 in the list, and pip fetches nothing else.
install() {
  pip="$peers/$1/bin/pip install -q --disable-pip-version-check --require-hashes --no-deps"
  $pip --only-binary :all: --requirement "bench/peers/$1.txt" || return 1
  [ ! -e "bench/peers/$1-source.txt" ] || $pip --no-build-isolation --requirement "bench/peers/$1-source.txt"
}

if begin common; then
  install common && end common || give_up 'BoTorch, Ax, BayBE, Optuna, scikit-learn, bayes_opt'
fi

# Emukit and SafeOpt in an environment of their own, because they need older numerical packages
if begin emukit; then
  install emukit && end emukit || give_up 'Emukit, SafeOpt'
fi

# the table of a direct arylation, which only BayBE's source package has
table=$peers/arylation.csv source=baybe-0.15.0
if [ "${only:-common}" = common ] && [ ! -s $table ] && [ -e $peers/common/complete ]; then
  work=$(mktemp -d)
  $peers/common/bin/pip download -q --disable-pip-version-check --require-hashes --no-deps --no-binary :all: \
    --no-build-isolation --dest "$work" --requirement bench/peers/arylation-source.txt &&
    tar -xzOf "$work/$source.tar.gz" $source/benchmarks/data/direct_arylation/data.csv >"$work/data.csv" &&
    mv "$work/data.csv" $table || give_up 'the table of the direct arylation'
  rm -rf "$work"
fi

if begin motion; then
  install motion && end motion || give_up 'movement_primitives, Gymnasium-Robotics'
fi

# Optuna with a driver for PostgreSQL, small: all that bench/work needs
if begin work; then
  install work && end work || give_up 'Optuna with PostgreSQL'
fi
