#!/usr/bin/env bash
# The course on the first GPU: every experiment with the libraries beside it, as journeys, and a table of the
# libraries; then compute-sanitizer's four tools over all of them at small sizes.
# Usage: bench/device/course.sh RIDGE FOLDER [PATTERN]
#   RIDGE     the program; bench/peers is built with nvcc, where there is one, into FOLDER/peers
#   FOLDER    gets NAME-h200.md (ridge's own report), peers-h200.md, sanitizer.txt, times.txt
#   PATTERN   of the experiments' names; default: all
# LIMIT (3) is the seconds a variant is sampled at most; PARTS (journeys sanitizer) says what is done.
# SPDX-License-Identifier: Apache-2.0
set -u
ridge=$(realpath "$1")
out=$(realpath "$2")
pattern=${3:-.}
cd "$(dirname "$0")/../.." || exit 1
export PATH=$PATH:/usr/local/cuda/bin:/usr/local/cuda/extras/compute-sanitizer
export RIDGE_PEERS=${RIDGE_PEERS:-$out/peers} RIDGE_JOURNAL=$out/course.sqlite
chip=${CHIP:-h200}
mkdir -p "$out"

# NAME PARAMETERS: what the journeys are measured at
journeys() {
    cat <<'END'
scan N=67108864
conv1d N=16777216 K=33,129
histogram-f32 N=67108864 bins=256 spread=1.0
histogram N=134217728 values=256
softmax elements=67108864 cols=4096
softmax-bf16 elements=67108864 cols=16384
layernorm rows=8192 cols=8192
rmsnorm-bf16 rows=16384 cols=8192
reduction N=1048576
stencil2d N=8192
stencil3d N=384
fusion rows=16384
depthwise length=16384
transpose-any M=4097 N=4095
layernorm-backward rows=8192 cols=4096
lookup N=67108864
scan-i32 N=1048576
transpose N=8192
vector n=16777216
END
}

# the same at sizes that a sanitizer can take
small() {
    cat <<'END'
histogram N=4099
histogram-f32 N=4099 bins=256,65536
reduction N=1,4099
transpose N=33,128
transpose-any M=33,128 N=70,192
vector n=1000
conv1d N=4099 K=9
depthwise length=37 channels=520
scan N=1,20001
scan-i32 N=20001
softmax elements=9000 cols=33,1000,8192
softmax-bf16 elements=9000 cols=33,1000
layernorm rows=5 cols=33,1000
rmsnorm-bf16 rows=5 cols=33,1000
layernorm-backward rows=5 cols=33,1000
lookup N=1003
fusion rows=5
stencil2d N=67,200
stencil3d N=19,20
END
}

here() { [ -f "experiments/$1/experiment.yaml" ] && grep -qE "$pattern" <<<"$1"; }

run_one() { # name parameters...
    local name=$1 params=() p
    shift
    for p; do params+=(--param "$p"); done
    "$ridge" run "experiments/$name" --device cuda:0 --time-limit "${LIMIT:-3}" -q --markdown \
        "${params[@]}" >"$out/$name-$chip.md" 2>"$out/$name.err"
    echo "$name: status $?, $SECONDS s"
    "$ridge" show "$name" --json >"$out/$name.json" 2>/dev/null
}

sanitize_one() { # tool name parameters...
    local tool=$1 name=$2 params=() p log
    shift 2
    for p; do params+=(--param "$p"); done
    log=$out/$name.$tool.txt
    timeout 100 compute-sanitizer --tool "$tool" --target-processes all --print-limit 5 \
        "$ridge" verify "experiments/$name" --device cuda:0 -q "${params[@]}" >"$log" 2>&1
    echo "$tool $name: $(grep -oE '(ERROR|RACECHECK) SUMMARY: .*' "$log" | sort | uniq -c | tr -s ' \n' ' ')$(grep -c ' verified' "$log") verified"
}
export -f sanitize_one
export ridge out

case " ${PARTS:-journeys sanitizer} " in *' journeys '*)
    [ -d "$out/peers" ] || bench/peers/build.sh "$RIDGE_PEERS" >"$out/peers.log" 2>&1
    journeys | while read -r name params; do
        # shellcheck disable=SC2086
        here "$name" && run_one "$name" $params </dev/null
    done | tee "$out/times.txt"
    python3 bench/peers/table.py "$out"/*.json >"$out/peers-$chip.md"
    ;;
esac
case " ${PARTS:-journeys sanitizer} " in *' sanitizer '*)
    for tool in memcheck racecheck initcheck synccheck; do
        small | while read -r name params; do here "$name" && echo "$tool $name $params"; done
    done | xargs -P "${JOBS:-8}" -L 1 bash -c 'sanitize_one "$@"' sanitize >"$out/sanitizer.txt"
    sort -o "$out/sanitizer.txt" "$out/sanitizer.txt"
    ;;
esac
