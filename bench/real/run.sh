#!/usr/bin/env bash
# Verifies kernels of public repositories by the experiments beside this file, and writes the table
# docs/real-kernels.md. Usage: bench/real/run.sh [--write] [--device DEVICE] [--compiler NAME] FOLDER...
# Each FOLDER is a checked-out repository, named as it is on GitHub (SGEMM_CUDA, llm.c, …); experiments of
# repositories that are not given are left out, and counted as such. Nothing is fetched, no source is copied.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
ridge=${RIDGE:-$here/../../build/ridge}
write=/dev/stdout device=sim:h200 compiler=auto
while [[ ${1:-} == --* ]]; do
    case $1 in
    --write) write=$here/../../docs/real-kernels.md ;;
    --device) device=$2; shift ;;
    --compiler) compiler=$2; shift ;;
    *) sed -n '2,5s/^# //p' "$0" >&2; exit 2 ;;
    esac
    shift
done
(($# > 0)) || { sed -n '2,5s/^# //p' "$0" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for folder in "$@"; do
    ln -s "$(cd "$folder" && pwd)" "$work/$(basename "$folder")"
    git -C "$folder" log -1 --format="$(basename "$folder") %h" 2>/dev/null || true
done >"$work/commits"
cp "$here/reference.c" "$work"
python3 -c 'import sys; sys.stdout.buffer.write(bytes(bin(i).count("1") for i in range(256)))' >"$work/bits-set.bin"
for experiment in "$here"/*/; do
    name=$(basename "$experiment")
    cp -r "$experiment" "$work/$name"
    echo "$name" >&2
    "$ridge" verify "$work/$name" --json --quiet --device "$device" --compiler "$compiler" --check \
        >"$work/$name.json" 2>"$work/$name.err" </dev/null || true
done
python3 "$here/table.py" "$work" "$here" "$device" "$compiler" "$("$ridge" --version)" >"$work/table.md"
cat "$work/table.md" >"$write"
