#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Made format-1.fcps with the first version that wrote studies. Kept to show what is in it; a later version would write
# its own format.
#   make-format-1.sh FCPS
set -eu
fcps=$1
cat >throw.yaml <<'YAML'
name: throw
target: {x: [0, 5]}
environment: {wind: [-1, 1]}
parameters: {speed: {range: [0, 3], unit: m/s}, tilt: [0, 1.5]}
outcome: [land]
achieved: {x: land}
reward: -distance - 0.05*speed^2
learner: {name: bo-fcps, initial: 2}
YAML
"$fcps" study new format-1.fcps --problem throw.yaml --seed 1
for x in 1 2 3 4 5; do
  "$fcps" study ask format-1.fcps --target x=$x --environment wind=0
  "$fcps" study tell format-1.fcps $x --outcome land=$x.5
done
"$fcps" study tell format-1.fcps 1 --outcome land=9 || true
"$fcps" study amend format-1.fcps --bounds speed=0,4
"$fcps" study amend format-1.fcps --use 1.2
"$fcps" study ask format-1.fcps --target x=1 --environment wind=0 --client bob
"$fcps" study tell format-1.fcps --target x=1 --environment wind=0 --executed speed=1,tilt=1 --no-outcome
rm -f throw.yaml format-1.fcps-reserve
