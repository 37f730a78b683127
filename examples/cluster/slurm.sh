#!/usr/bin/env bash
# An array of Slurm jobs that search the same instance, exchange solutions by a shared folder, and are requeued until
# their limit is reached:
#
#   sbatch --array=0-31 slurm.sh samegame board.txt runs --time 24h
#   soloist status runs; soloist merge runs --out best.json
#
#SBATCH --time=01:00:00
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@90
set -euo pipefail
problem=$1 instance=$2 folder=$3
shift 3

# Slurm sends the signal to this shell alone, which hands it on. A signal ends `wait`, not the search.
soloist solve "$problem" "$instance" --share "$folder" --worker "${SLURM_ARRAY_TASK_ID:?is set by sbatch --array}" \
    --requeue-code 75 --quiet "$@" >/dev/null &
search=$!
heard=1
trap 'heard=1; kill -USR1 "$search" 2>/dev/null || true' USR1 TERM
code=0
while ((heard)); do
    heard=0 code=0
    wait "$search" || code=$?
done

# The search has written its files: the same job begins again where it has stopped.
if ((code == 75)); then
    scontrol requeue "${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}_$SLURM_ARRAY_TASK_ID"
    exit 0
fi
exit "$code"
