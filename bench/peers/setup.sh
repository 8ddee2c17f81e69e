#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the rivals of `make bench-peers` with pip into .deps/peers, in the versions that docs/benchmarks.md names.
# Some gigabytes; nothing else needs them. Safe to run again; quick when everything is there.
set -eu
cd "$(dirname "$0")/../.."
peers=.deps/peers
mkdir -p $peers

# environment NAME: creates it again where it is not complete
begin() {
  [ ! -e "$peers/$1/complete" ] || return 1
  rm -rf "${peers:?}/$1"
  python3 -m venv "$peers/$1"
}
end() { touch "$peers/$1/complete"; }
give_up() { echo "bench-peers: $1 could not be installed and will be missing" >&2; }

if begin common; then
  $peers/common/bin/pip install -q botorch==0.18.1 ax-platform==1.3.1 optuna==5.0.0 scikit-learn==1.9.1 nlopt==2.11.0 \
    bayesian-optimization==3.4.0 && end common || give_up 'BoTorch, Ax, Optuna, scikit-learn, bayes_opt'
fi

# Emukit in an environment of its own: it needs older numbers packages, which must stand before what is built on them
if begin emukit; then
  $peers/emukit/bin/pip install -q 'numpy<2' 'scipy<1.12' wheel setuptools &&
    $peers/emukit/bin/pip install -q --no-build-isolation GPy==1.13.2 matplotlib networkx emcee &&
    $peers/emukit/bin/pip install -q --no-deps emukit==0.4.10 && end emukit || give_up Emukit
fi

if begin motion; then
  $peers/motion/bin/pip install -q movement-primitives==0.9.1 pytransform3d gymnasium-robotics==1.4.2 mujoco==3.3.7 &&
    end motion || give_up 'movement_primitives, Gymnasium-Robotics'
fi
