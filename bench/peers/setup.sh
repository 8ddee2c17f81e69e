#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the rivals of `make bench-peers` with pip into .deps/peers, in the versions that docs/benchmarks.md names.
# Some gigabytes; nothing else needs them.
set -eu
cd "$(dirname "$0")/../.."
peers=.deps/peers
[ ! -e $peers/installed ] || exit 0
mkdir -p $peers

python3 -m venv $peers/common
$peers/common/bin/pip install -q botorch==0.18.1 ax-platform==1.3.1 optuna==5.0.0 scikit-learn==1.9.1 nlopt==2.11.0 \
  bayesian-optimization==3.4.0

# Emukit's own pins cannot be built with newer numbers packages beside it
python3 -m venv $peers/emukit
$peers/emukit/bin/pip install -q 'numpy<2' 'scipy<1.12' GPy==1.13.2 matplotlib networkx 'emcee>=3.1' ||
  echo 'bench-peers: Emukit could not be installed and will be missing' >&2
$peers/emukit/bin/pip install -q --no-deps emukit==0.4.10 || true
touch $peers/installed
