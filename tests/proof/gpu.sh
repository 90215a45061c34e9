#!/bin/bash
# Everything of the proof that needs a GPU, in one go: tests/proof/gpu.sh OUTDIR
#
# Leaves counters.json, sanitizers.json, raw.tar.gz (what the tools printed) and summary.txt in
# OUTDIR. A part that fails or runs late is recorded and does not stop the other.
set -u
[ $# = 1 ] || { echo "usage: $0 OUTDIR" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/.." || exit 2
export PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
export PATH="$PATH:/usr/local/cuda/bin:/opt/nvidia/nsight-compute"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

part() { # name, seconds
    local began=$SECONDS
    timeout --kill-after=10 "$2" python3 -m "proof.$1" "$work" >"$work/$1.out" 2>&1
    local status=$?
    echo "$1: exit $status after $((SECONDS - began)) s"
    tail -n 25 "$work/$1.out"
}

{
    part counters 190
    part sanitizers 275
} | tee "$work/summary.txt"

mkdir -p "$work/raw"
cp "$work"/*.out "$work/raw/"
tar -czf "$out/raw.tar.gz" -C "$work" raw
for file in counters.json sanitizers.json summary.txt; do
    [ -e "$work/$file" ] && cp "$work/$file" "$out/"
done
ls -l "$out"
