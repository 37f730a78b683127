#!/usr/bin/env bash
# What condor.sub starts: PROBLEM INSTANCE FOLDER WORKER and further arguments of `soloist solve`.
set -euo pipefail
problem=$1 instance=$2 folder=$3 worker=$4
shift 4
exec soloist solve "$problem" "$instance" --share "$folder" --worker "$worker" --requeue-code 75 --quiet --json "$@"
