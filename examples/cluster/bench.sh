#!/usr/bin/env bash
# A comparison in parts, one for each job of an array that begins at 1:
#
#   sbatch --array=1-100 bench.sh comparison.toml 100
#   cat comparison-*-of-100.jsonl > comparison.jsonl && soloist bench comparison.toml
set -euo pipefail
spec=$1 parts=$2
part=${SLURM_ARRAY_TASK_ID:-${HQ_TASK_ID:-${PBS_ARRAY_INDEX:-${SGE_TASK_ID:-}}}}
: "${part:?is the number of the job in its array, from 1 on}"
exec soloist bench "$spec" --shards "$part/$parts" --jobs 1 --quiet
