#!/bin/bash
# One release of very many prepared faces: parts.sh RECORDS.npy OUT PARTS MU [OPTION of `visard sum`…], as in
#   RELEASE="--ledger hospital.jsonl" ./parts.sh people.npy study 64 1 --people persons.csv
# Every pass over the records is a job array, a part each task, and a release of their sums. RELEASE has options of `visard release`. What
# was ended goes on with its last pass: it was paid for with the first.
set -euo pipefail
umask 077
here=$(cd "$(dirname "$0")" && pwd)
records=$1 out=$2 parts=$3 mu=$4
shift 4
read -ra release <<<"${RELEASE:-}"
mkdir -p "$out.sums"
pass=1 about=()
while :; do
  while [ -e "$out/round-$pass.json" ]; do
    about=(--about "$out/round-$pass.json")
    pass=$((pass + 1))
  done
  sums=$out.sums/pass-$pass
  # WHERE=here adds up on this machine, two parts at once, without Slurm.
  if [ "${WHERE:-slurm}" = here ]; then
    seq "$parts" | SLURM_ARRAY_TASK_MAX=$parts xargs -P 2 -I {} env SLURM_ARRAY_TASK_ID={} bash "$here/sum.sbatch" "$records" "$sums" --mu "$mu" "${about[@]}" "$@" >&2
  else
    sbatch --wait --array="1-$parts" "$here/sum.sbatch" "$records" "$sums" --mu "$mu" "${about[@]}" "$@" >&2
  fi
  files=()
  for k in $(seq "$parts"); do files+=("$sums-$k.json"); done
  visard release "${files[@]}" --mu "$mu" --out "$out" "${release[@]}"
  [ -e "$out/round-$pass.json" ] || break
done
rm -r "$out.sums"
