#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Workers of one study as a job array: each task is a worker, and any of them may be preempted, killed or requeued. The
# study is in PostgreSQL, so the nodes need not share a file system:
#
#   fcps study new "$STUDY" --problem throw.yaml
#   sbatch --array=1-64 examples/slurm/work.sh 'postgresql://db.lab/robots#throw' throw.yaml 1000
#
# On a cluster of one node, the study may be a file.
#SBATCH --job-name=fcps-work
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:TERM@60
set -eu
study=$1 problem=$2 trials=$3

# A task that is requeued is a new worker; the trial of the old one is given to the next worker that asks. Slurm sends
# TERM a minute before the time limit. The worker then ends its program and gives its trial back.
"${FCPS:-fcps}" work "$study" --problem "$problem" --trials "$trials" --quiet \
  --name "slurm-${SLURM_ARRAY_JOB_ID:-0}-${SLURM_ARRAY_TASK_ID:-0}-${SLURM_RESTART_COUNT:-0}" &
worker=$!
trap 'kill -TERM $worker' TERM
wait $worker || { wait $worker; exit $?; } # the first wait ends with the signal
