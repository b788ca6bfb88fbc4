#!/bin/bash
# Both stages on Slurm: study.sh MANIFEST OUT SHARDS STATISTIC [OPTION…], as in
#   ./study.sh all.csv study 64 mean --mu 1 --ledger hospital.jsonl
# The ledger is asked first. Stage two waits for the array to end, however it ends: a shard that was lost counts as the template. Give
# --complete, and stage two stops (and charges nothing) until all shards are there.
set -euo pipefail
umask 077
here=$(cd "$(dirname "$0")" && pwd)
manifest=$1 out=$2 shards=$3 statistic=$4
shift 4
records=$out.records
visard face "$statistic" --manifest "$manifest" --records "$records" --out "$out" "$@" --dry-run >&2
first=$(sbatch --parsable --array="1-$shards" "$here/prepare.sbatch" "$manifest" "$records")
second=$(sbatch --parsable --dependency="afterany:$first" "$here/study.sbatch" \
  face "$statistic" --records "$records" --manifest "$manifest" --out "$out" "$@")
echo "$first $second"
