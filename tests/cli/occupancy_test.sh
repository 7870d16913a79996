#!/usr/bin/env bash
# ridge occupancy: limits and curves, as the calculator has them.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT

check() { # check NAME EXPECTED ACTUAL
    if [[ $2 == "$3" ]]; then echo "ok - $1"; else
        printf 'not ok - %s\nexpected: %s\nactual:   %s\n' "$1" "$2" "$3"
    fi
}

text=$("$RIDGE" occupancy --block 200 --registers 70 --shared 20000)
check 'states what it was given' \
    'NVIDIA H200, calculated: 200 threads per block, 70 registers per thread, 20000 shared bytes' \
    "$(sed -n 1p <<<"$text")"
check 'occupancy in words' 'Occupancy 43.8 %: 4 blocks, 28 of 64 warps on an SM' \
    "$(sed -n 2p <<<"$text")"
check 'the limit is named' '  registers         4  limits' "$(grep limits <<<"$text")"
check 'the given point is marked on each curve' 3 "$(grep -c '^  >' <<<"$text")"
check 'what can not run is said' 'No block fits on an SM: registers.' \
    "$("$RIDGE" occupancy --block 1024 --registers 255 | sed -n 2p)"
text=$("$RIDGE" occupancy --device mi300x --block 512 --registers 128 --agprs 30 --sgprs 100 --shared 20000)
check "AMD's in their words" \
    'AMD Instinct MI300X, calculated: 512 threads per work-group in waves of 64, 128 VGPRs and 30 AccVGPRs per thread, 100 SGPRs per wave, 20000 LDS bytes' \
    "$(sed -n 1p <<<"$text")"
check 'waves per SIMD' 'Occupancy 25.0 %: 1 work-group, 8 of 32 waves on a CU, 2 of 8 per SIMD' "$(sed -n 2p <<<"$text")"
check 'VGPRs and AccVGPRs limit' '  VGPRs             1  limits' "$(grep limits <<<"$text")"
check 'the curves have their words' 'By threads per work-group,By VGPRs per thread,By LDS bytes per work-group,' \
    "$(grep '^By' <<<"$text" | tr '\n' ,)"
check 'wave64 of an RDNA chip' 'Occupancy 75.0 %: 12 work-groups, 48 of 64 waves on a WGP, 12 of 16 per SIMD' \
    "$("$RIDGE" occupancy --device rx7900xtx --wave 64 --registers 60 | sed -n 2p)"
check 'JSON has null for no limit' '"scalar registers": null' "$("$RIDGE" occupancy --device rx7900xtx --json |
    sed -n '/"scalar registers"/{s/^ *//;p;q}')"
check 'barriers limit' 'Occupancy 50.0 %: 4 blocks, 32 of 64 warps on an SM' \
    "$("$RIDGE" occupancy --barriers 16 | sed -n 2p)"
refused() { # refused NAME MESSAGE ARGUMENTS...
    local name=$1 wanted=$2 status=0 message
    shift 2
    message=$("$RIDGE" occupancy "$@" 2>&1) || status=$?
    check "$name" "2 ridge: $wanted" "$status $message"
}
refused 'what a chip does not have' 'option --agprs: NVIDIA H200 does not have accumulators' --agprs 8
refused 'a wave is of one size or the other' \
    'option --wave: a wave of AMD Radeon RX 7900 XTX has 32 or 64 lanes, not 48' --device rx7900xtx --wave 48
cp -r "$root/gpus" "$data"
sed 's/gfx1100/gfx1030/' "$root/gpus/rx7900xtx.yaml" >"$data/gpus/older.yaml"
RIDGE_DATA_DIR=$data refused 'this chip is not simulated' \
    "the simulated GPU runs PTX and machine code of gfx90a, gfx942 and gfx1100, and 'older' has none of them: \`ridge occupancy --device older\` and \`ridge explain --on older\` know that chip" \
    --device sim:older
status=0
message=$("$RIDGE" occupancy --registers 300 2>&1) || status=$?
check 'a number out of bounds' "2 ridge: option --registers: '300' is not a whole number from 1 to 255" \
    "$status $message"
