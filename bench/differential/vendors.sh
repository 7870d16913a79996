#!/usr/bin/env bash
# Random small kernels in C on simulated GPUs of both vendors: the same text compiled by the host's compiler, for NVIDIA's chip and
# for AMD's, each word as the host has it. MODULES experiments of KERNELS each from SEED on; DEVICES: those whose compiler is
# here. Usage: bench/differential/vendors.sh [SEED [MODULES [KERNELS]]]; DEVICES="sim:h200 sim:mi250x"; KEEP=folder keeps them.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "$root" && realpath "${BUILD:-build}")
ridge=$(cd "$root" && realpath "${RIDGE:-$build/ridge}")
seed=${1:-1} modules=${2:-1} kernels=${3:-30}
work=${KEEP:-$(mktemp -d)}
[[ -n ${KEEP-} ]] || trap 'rm -rf "$work"' EXIT
export RIDGE_JOURNAL=$work/journal.db
if [[ -z ${DEVICES-} ]]; then
    DEVICES='sim:h200'
    clangs=$(compgen -c clang | grep -E '^clang(-[0-9]+)?$' | sort -u)
    clang --print-targets 2>/dev/null | grep -qw amdgcn && DEVICES+=' sim:mi250x'
    grep -qE '^clang-(1[789]|2[0-9])$' <<<"$clangs" && DEVICES+=' sim:mi300x'
    grep -qE '^clang-(1[6789]|2[0-9])$' <<<"$clangs" && DEVICES+=' sim:rx7900xtx'
fi
wrong=0
for ((m = seed; m < seed + modules; m++)); do
    mkdir -p "$work/m$m"
    "$build/bench/differential/generate_c" "$m" "$kernels" "$work/m$m" || exit 1
    for device in $DEVICES; do
        if "$ridge" verify "$work/m$m" --device "$device" >"$work/said" 2>&1 && grep -q 'all  verified' "$work/said"; then
            echo "seed $m, $device: $kernels kernels as the host has them"
        else
            echo "seed $m, $device: differs"
            grep -vE 'warning|^ *\^|^$' "$work/said" | tail -6
            wrong=$((wrong + 1))
        fi
    done
done
exit $((wrong > 0))
