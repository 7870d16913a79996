#!/usr/bin/env bash
# The course on the first GPU: every experiment as a journey, the libraries beside its best variants as a table, and
# compute-sanitizer's four tools over all of them at small sizes. course.txt says what is run.
# Usage: bench/device/course.sh RIDGE FOLDER [PATTERN]
#   RIDGE     the program; bench/peers is built with nvcc, where there is one, into FOLDER/peers
#   FOLDER    gets NAME-CHIP.md (ridge's own report), peers-CHIP.md, sanitizer-CHIP.md, times.txt; journeys.py makes docs/journeys of it
#   PATTERN   of the lines of course.txt; default: all
# LIMIT (3) is the seconds a variant is sampled at most, SIDE (2) those it is simulated on the side, EACH (120) the seconds a line may take
# (one that is cut off leaves the page of the cases that it has recorded, each after 15 to 30 s, so the sizes that matter come first in
# course.txt), SECONDS_MAX (none) the
# seconds after which no further line is begun; KINDS (peers journey small) says what is done; CHIP (h200) names files.
# SPDX-License-Identifier: Apache-2.0
set -u
ridge=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
pattern=${3:-.}
cd "$(dirname "$0")/../.." || exit 1
export PATH=$PATH:/usr/local/cuda/bin:/usr/local/cuda/extras/compute-sanitizer
export RIDGE_PEERS=${RIDGE_PEERS:-$out/peers} RIDGE_JOURNAL
chip=${CHIP:-h200}

nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -1 >"$out/driver.txt"
date -u +%F >"$out/date.txt"

lines() { # of a kind
    case " ${KINDS:-peers journey small} " in *" $1 "*)
        grep -E "^$1 " bench/device/course.txt | grep -E -- "$pattern" | while read -r _ name rest; do
            [ -f "experiments/$name/experiment.yaml" ] && echo "$name $rest"
        done
        ;;
    esac
}

run_one() { # kind name parameters...
    local kind=$1 name=$2 status
    local -a words=()
    shift 2
    local option=false word
    for word; do
        if $option || [[ $word == --* ]]; then
            words+=("$word")
            $option && option=false || option=true
        else
            words+=(--param "$word")
        fi
    done
    ((SECONDS < ${SECONDS_MAX:-1000000})) || {
        echo "$kind $name: not begun, no time left"
        return
    }
    local begun=$SECONDS
    local file=$kind-$name
    [ "$kind" = peers ] && file+=-$(sed 's/ --.*//; s/[ ,]/_/g' <<<"$*") # an experiment may have several lines
    RIDGE_JOURNAL=$out/$file.sqlite
    timeout "${EACH:-120}" "$ridge" run "experiments/$name" --device cuda:0 --time-limit "${LIMIT:-3}" --side-limit "${SIDE:-2}" \
        -q --markdown "${words[@]}" >"$out/$file.md" 2>"$out/$file.err"
    status=$?
    # A line that was cut off makes a page of the cases that it has recorded; without any there is none.
    ((status == 124)) && "$ridge" show "$name" --markdown >"$out/$file.md" 2>>"$out/$file.err"
    "$ridge" show "$name" --json >"$out/$file.json" 2>>"$out/$file.err" || rm -f "$out/$file.json" "$out/$file.md"
    [ "$kind" = journey ] && [ -f "$out/$file.md" ] && cp "$out/$file.md" "$out/$name-$chip.md"
    echo "$kind $name: status $status, $((SECONDS - begun)) s"
}

sanitize_one() { # tool name parameters...
    local tool=$1 name=$2 params=() p log
    shift 2
    for p; do params+=(--param "$p"); done
    log=$out/$name.$tool.txt
    # Libraries are not looked at.
    RIDGE_PEERS=$out/none timeout "${EACH:-120}" compute-sanitizer --tool "$tool" --target-processes all --print-limit 5 \
        "$ridge" verify "experiments/$name" --device cuda:0 -q "${params[@]}" >"$log" 2>&1
    echo "$tool $name: $(grep -oE '(ERROR|RACECHECK) SUMMARY: .*' "$log" | sort | uniq -c | tr -s ' \n' ' ')$(grep -c ' verified' "$log") verified, $(grep -cE '^ *[^ ]+ +(FAILED|WRONG|failed|wrong)' "$log") not"
}
export -f sanitize_one
export ridge out

if [ -n "$(lines peers)$(lines journey)" ]; then
    [ -d "$RIDGE_PEERS" ] || bench/peers/build.sh "$RIDGE_PEERS" >"$out/peers.log" 2>&1
    for kind in peers journey; do
        while read -r name rest; do
            # shellcheck disable=SC2086
            [ "$name" ] && run_one "$kind" "$name" $rest </dev/null
        done <<<"$(lines $kind)"
    done | tee "$out/times.txt"
    if compgen -G "$out/peers-*.json" >/dev/null; then
        python3 bench/peers/table.py "$out"/peers-*.json >"$out/peers-$chip.md"
    fi
fi
if [ -n "$(lines small)" ]; then
    # Each tool must see the fault that is planted for it.
    for tool in memcheck racecheck synccheck; do
        timeout "${EACH:-120}" compute-sanitizer --tool "$tool" --target-processes all --print-limit 5 \
            "$ridge" verify bench/sanitizer/planted --variant "$tool" --device cuda:0 -q >"$out/planted.$tool.txt" 2>&1
        echo "$tool planted: $(grep -oE '(ERROR|RACECHECK) SUMMARY: .*' "$out/planted.$tool.txt" | sort | uniq -c | tr -s ' \n' ' ')"
    done | tee "$out/planted.txt"
    for tool in ${TOOLS:-memcheck racecheck initcheck synccheck}; do
        while read -r name rest; do echo "$tool $name $rest"; done <<<"$(lines small)"
    done | xargs -P "${JOBS:-8}" -L 1 bash -c 'sanitize_one "$@"' sanitize | tee "$out/sanitizer-order.txt"
    sort "$out/sanitizer-order.txt" >"$out/sanitizer.txt"
    python3 bench/sanitizer/course.py "$out/sanitizer.txt" >"$out/sanitizer-$chip.md"
fi
