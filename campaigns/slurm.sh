#!/usr/bin/env bash
# Runs examples/cluster/slurm.sh under a Slurm of this machine: an array of jobs whose time is over before their work is done,
# so that each is requeued and goes on. Needs the packages slurmctld, slurmd, slurm-client and munge, and root; exits with 77
# where they are missing or do not start.
#
#   campaigns/slurm.sh [FOLDER_OF_THE_COMMAND]
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(cd "${1:-target/debug}" && pwd)
skip() {
    echo "slurm.sh: not run: $*" >&2
    exit 77
}
for tool in munged slurmctld slurmd sbatch scontrol; do
    command -v "$tool" >/dev/null || [[ -x /usr/sbin/$tool ]] || skip "$tool is missing"
done
[[ $(id -u) == 0 ]] || skip "root is needed"
PATH=$program:$PATH:/usr/sbin
work=$(mktemp -d)
pids=()
stop() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait || true
    rm -rf "$work"
}
trap stop EXIT

# A key and a socket of our own: nothing of the system's configuration is touched.
dd if=/dev/urandom of="$work/munge.key" bs=64 count=1 status=none
chmod 400 "$work/munge.key"
munged --foreground --force --key-file "$work/munge.key" --socket "$work/munge.socket" --pid-file "$work/munge.pid" \
    --log-file "$work/munge.log" --seed-file "$work/munge.seed" >"$work/munged.out" 2>&1 &
pids+=($!)
for _ in {1..50}; do [[ -S $work/munge.socket ]] && break; sleep 0.1; done
[[ -S $work/munge.socket ]] || skip "munged: $(tail -1 "$work/munged.out")"
host=$(hostname -s)
mkdir "$work/state" "$work/spool"
cat >"$work/slurm.conf" <<END
ClusterName=local
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CryptoType=crypto/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
KillWait=5
MpiDefault=none
SchedulerParameters=sched_interval=1,requeue_delay=0
SchedulerType=sched/builtin
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$work/slurm.conf
slurmctld -D -i >"$work/ctld.out" 2>&1 &
pids+=($!)
slurmd -D >"$work/d.out" 2>&1 &
pids+=($!)
for _ in {1..100}; do
    sinfo -h -o %t 2>/dev/null | grep -q idle && break
    sleep 0.2
done
sinfo -h -o %t 2>/dev/null | grep -q idle ||
    skip "no node is idle: $(tail -2 "$work/ctld.out" "$work/d.out" "$work/slurmctld.log" 2>/dev/null | tr '\n' ' ')"

# Two workers. A minute is the least time of a job of Slurm, so that the signal comes after it has begun.
cd "$work"
cp "$OLDPWD/examples/cluster/slurm.sh" .
sbatch --parsable --array=0-1 --time=00:02:00 --signal=B:USR1@110 --output="$work/job-%a.out" slurm.sh \
    samegame random:12x12x4:3 "$work/runs" --method nrpa --time 100s --share-every 1s --exchange none >"$work/id"
requeued=0
for _ in {1..500}; do
    found=$(squeue -h -r -o '%i' | wc -l)
    requeued=$(grep -ci 'requeue.*JobId\|requeuing' "$work/slurmctld.log" || true)
    ((found == 0)) && break
    # A job that was requeued waits for its next turn two minutes by default.
    for id in $(squeue -h -r -t PD -o %i); do scontrol update JobId="$id" StartTime=now 2>/dev/null || true; done
    sleep 1
done
soloist status runs
for worker in 0 1; do
    grep -q '"stop":"time"' "runs/worker-$worker.json" || {
        echo "slurm.sh: worker $worker has not ended by its own limit" >&2
        tail -3 "$work"/job-*.out "$work/slurmctld.log" >&2
        exit 1
    }
done
soloist merge runs --json >merged.json
if ((requeued < 2)); then
    echo "slurm.sh: $requeued lines of requeueing in the log of slurmctld, expected one for each worker" >&2
    grep -i requeue "$work/slurmctld.log" >&2 || true
    exit 1
fi
echo "slurm.sh: 2 workers reached their limit, $requeued lines of requeueing in the log of slurmctld"
