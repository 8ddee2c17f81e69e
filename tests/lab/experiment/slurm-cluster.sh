#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A private Slurm of one node on loopback, for a test: everything is under DIR, as root, without systemd.
#
#   tests/lab/experiment/slurm-cluster.sh start DIR PORT    then SLURM_CONF=DIR/slurm.conf; exit code 77: there is no Slurm
#   tests/lab/experiment/slurm-cluster.sh stop DIR
set -eu
folder=$2
if [ "$1" = stop ]; then
  for file in slurmd.pid slurmctld.pid munge/pid; do
    [ ! -f "$folder/$file" ] || kill "$(cat "$folder/$file")" 2>/dev/null || true
  done
  exit
fi
port=$3
for program in munged slurmctld slurmd sbatch; do
  command -v $program >/dev/null || { echo "skipped: $program is not installed (scripts/setup --full installs it)" >&2; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo 'skipped: a private Slurm needs root' >&2; exit 77; }
host=$(hostname -s)
# munge wants no folder above it that others may write to
install -d -m 755 "$folder" "$folder/state" "$folder/spool" "$folder/log"
install -d -o munge -g munge -m 755 "$folder/munge"
dd if=/dev/urandom of="$folder/munge/key" bs=1024 count=1 2>/dev/null
chown munge:munge "$folder/munge/key"
chmod 400 "$folder/munge/key"
setpriv --reuid=munge --regid=munge --init-groups munged --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
  --pid-file="$folder/munge/pid" --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" --num-threads=2
cat >"$folder/slurm.conf" <<END
ClusterName=fcps
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket,cred_expire=5
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/log/slurmctld
SlurmdLogFile=$folder/log/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1,sched_min_interval=0,defer_batch
PropagateResourceLimits=NONE
JobRequeue=1
KillWait=2
MinJobAge=300
SlurmctldTimeout=60
SlurmdTimeout=60
MailProg=/bin/true
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$folder/slurm.conf"
slurmctld
slurmd -N "$host"
tries=0
until sinfo -h -o %t 2>/dev/null | grep -q idle; do
  tries=$((tries + 1))
  [ $tries -lt 300 ] || { sinfo >&2; exit 1; }
  sleep 0.1
done
