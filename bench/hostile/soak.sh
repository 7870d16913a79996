#!/usr/bin/env bash
# How much ridge bears: kills, signals, concurrent writers, damaged files of each kind, full disks.
# Usage: bench/hostile/soak.sh [SECONDS] [PROGRAM]
# runs each kind for its share of SECONDS (120) in folders of its own, without network, and prints per
# kind how often it was tried and survived. A try survives when ridge ends by itself in time, with one of
# its exit statuses and no signal, says why where it fails, and what was recorded before is still there.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
seconds=${1:-120}
RIDGE=$(realpath "${2:-$root/build/ridge}")
[[ $seconds =~ ^[1-9][0-9]*$ && -x $RIDGE ]] || {
    echo "usage: bench/hostile/soak.sh [SECONDS] [PROGRAM]; build ridge first" >&2
    exit 2
}
for program in python3 cc clang; do
    command -v $program >/dev/null || {
        echo "soak: $program is not here" >&2
        exit 2
    }
done
work=$(mktemp -d)
full=
finish() {
    [[ -n $full ]] && umount "$full" 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 1
export RIDGE_HOME=$work/home RIDGE_CACHE=$work/cache RIDGE_DATA_DIR=$root RIDGE_COMPILER=clang
export TMPDIR=$work/tmp GIT_CEILING_DIRECTORIES=${work%/*} NO_COLOR=1
unset RIDGE_JOURNAL CC
mkdir tmp
cp -r "$root/tests/cli/scale" .
RANDOM=${SOAK_SEED:-4711} # the same tries again, as far as time allows
run=("$RIDGE" run scale --param N=4096 -q)
"${run[@]}" --journal good.sqlite >/dev/null 2>&1 || {
    echo "soak: ridge does not run here" >&2
    exit 1
}

# ---- counting -----------------------------------------------------------------------------------------

kinds=()
declare -A tried survived first
kind=
until_s=0
share=0
begin() { # begin NAME: of the kind at work, for its share of the time
    kind=$1
    kinds+=("$kind")
    tried[$kind]=0 survived[$kind]=0 first[$kind]=
    until_s=$((SECONDS + share))
}
goes_on() { ((SECONDS < until_s || tried[$kind] == 0)); }
count() { # count STATUS WHAT: 0 = survived
    tried[$kind]=$((tried[$kind] + 1))
    if (($1 == 0)); then
        survived[$kind]=$((survived[$kind] + 1))
    elif [[ -z ${first[$kind]} ]]; then
        first[$kind]=$2
    fi
}

# ends_well COMMAND...: by itself within 60 s, with one of the exit statuses 0 to 3, and where it fails
# with a message on standard error.
ends_well() {
    timeout -k 5 60 "$@" >out.txt 2>err.txt </dev/null
    local status=$?
    ((status <= 3)) && { ((status < 2)) || grep -q '^ridge: ' err.txt; } && return 0
    what="status $status: $* ($(head -n 1 err.txt | head -c 200))"
    return 1
}
recorded() { "$RIDGE" log -n 0 --journal "$1" 2>/dev/null | awk '{ n += $5 } END { print n + 0 }'; }
is_whole() {
    python3 -c 'import sqlite3, sys
sys.exit(sqlite3.connect(sys.argv[1]).execute("pragma integrity_check").fetchone()[0] != "ok")' "$1"
}
# All processes that this run of ridge could have left.
left_over() { pgrep -f "$work" 2>/dev/null | grep -v "^$$\$" | while read -r p; do
    [[ $(ps -o ppid= -p "$p" 2>/dev/null | tr -d ' ') == 1 ]] && echo "$p"
done; }
pause() { sleep "$(printf '0.%03d' $((RANDOM % ($1 + 1))))"; } # up to so many thousandths of a second

# ---- the kinds -------------------------------------------------------------------------------------------

# A kill at a random moment; half of the runs compile everything anew.
kills() { # kills SIGNAL JOURNAL
    local before after status
    while goes_on; do
        before=$(recorded "$2")
        ((RANDOM % 2)) && rm -rf "$RIDGE_CACHE"
        "${run[@]}" --journal "$2" >/dev/null 2>err.txt &
        local ridge=$!
        pause 700
        local begun=$(date +%s%N)
        kill -"$1" $ridge 2>/dev/null
        wait $ridge 2>/dev/null
        status=$?
        local took_ms=$((($(date +%s%N) - begun) / 1000000))
        after=$(recorded "$2")
        what="before $before results, after $after, status $status, $took_ms ms"
        if [[ $1 == KILL ]]; then
            ((after >= before)) && is_whole "$2"
        else
            ((after >= before && status <= 3 && took_ms < 2000)) && is_whole "$2"
        fi
        count $? "$what"
    done
    ends_well "${run[@]}" --journal "$2" && [[ -z $(left_over) ]] &&
        [[ -z $(find "$RIDGE_CACHE" -name '.ridge-*.tmp' -o -path '*/work/*' ! -name .lock) ]]
    count $? "afterwards: ${what:-} left: $(left_over) $(find "$RIDGE_CACHE" -name '.ridge-*.tmp' -o -path '*/work/*' ! -name .lock | head -n 3)"
}

# Several that record in one journal, new or old, at once: every result is there.
writers() {
    local n before ids id ok i
    while goes_on; do
        n=$((2 + RANDOM % 5)) ids=() ok=0
        ((RANDOM % 3)) || rm -f many.sqlite*
        before=$(recorded many.sqlite)
        for ((i = 0; i < n; i++)); do
            "${run[@]}" --journal many.sqlite >/dev/null 2>"err$i.txt" &
            ids+=($!)
        done
        for id in "${ids[@]}"; do wait "$id" || ok=1; done
        what="$n writers: $before and then $(recorded many.sqlite) results; $(cat err?.txt | head -n 1)"
        ((ok == 0 && $(recorded many.sqlite) == before + 3 * n)) && is_whole many.sqlite
        count $? "$what"
    done
}

# damage FILE: bytes changed, cut off, put in twice, or zeroed.
damage() {
    python3 - "$1" $RANDOM$RANDOM <<'END'
import random, sys
path, seed = sys.argv[1:]
r = random.Random(seed)
data = bytearray(open(path, "rb").read())
for _ in range(r.choice((1, 1, 3, 30))):
    if not data:
        break
    at, n = r.randrange(len(data)), r.choice((1, 1, 4, 64, 4096))
    how = r.randrange(6)
    if how == 0:
        data[at] ^= 1 << r.randrange(8)
    elif how == 1:
        data[at:at + n] = bytes(r.randrange(256) for _ in range(min(n, 64)))
    elif how == 2:
        del data[at:at + n]
    elif how == 3:
        data[at:at] = data[at:at + n]
    elif how == 4:
        data[at:at + n] = bytes(len(data[at:at + n]))
    elif r.random() < .2:
        del data[at:]
open(path, "wb").write(data)
END
}

damaged_experiments() {
    while goes_on; do
        rm -rf bad && cp -r scale bad
        damage bad/experiment.yaml
        ends_well "$RIDGE" verify bad --param N=4096 -q --timeout 20
        count $? "${what:-}"
    done
}
damaged_ptx() {
    while goes_on; do
        rm -rf bad && cp -r scale bad
        sed -i 's/^source: .*/source: scale.ptx/' bad/experiment.yaml
        damage bad/scale.ptx
        ends_well "$RIDGE" verify bad --param N=4096 -q --timeout 20
        count $? "${what:-}"
    done
}
damaged_sources() {
    while goes_on; do
        rm -rf bad && cp -r scale bad
        if ((RANDOM % 2)); then damage bad/scale.cu; else damage bad/reference.c; fi
        ends_well "$RIDGE" verify bad --param N=4096 -q --timeout 20
        count $? "${what:-}"
    done
}
damaged_journals() {
    local commands=("log" "show" "explain scale" "report" "report --markdown" "export" "compare 1 1")
    while goes_on; do
        cp good.sqlite bad.sqlite && rm -f bad.sqlite-*
        damage bad.sqlite
        # shellcheck disable=SC2086
        ends_well "$RIDGE" ${commands[RANDOM % ${#commands[@]}]} --journal bad.sqlite &&
            ends_well "${run[@]}" --journal bad.sqlite
        count $? "${what:-}"
    done
}
damaged_caches() {
    local file
    while goes_on; do
        while IFS= read -r file; do
            ((RANDOM % 2)) && damage "$file"
        done < <(find "$RIDGE_CACHE/ptx" "$RIDGE_CACHE/tools" -type f 2>/dev/null)
        # What is in the cache must not change what comes out.
        "${run[@]}" --no-journal >out.txt 2>err.txt
        what="status $? with a damaged cache: $(head -n 1 err.txt)"
        [[ $what == 'status 0'* ]]
        count $? "$what"
    done
}
damaged_imports() {
    local files=("$root"/tests/import/*.{csv,json,sqlite}) file
    while goes_on; do
        file=${files[RANDOM % ${#files[@]}]}
        cp "$file" "bad.${file##*.}"
        damage "bad.${file##*.}"
        ends_well "$RIDGE" import "bad.${file##*.}" --no-journal
        count $? "${what:-}"
    done
}

# A file system of 300 kB where one can be mounted, else a limit on the size of files: the run that does
# not fit says so, what was recorded before can be read.
full_disk() {
    local before after limit
    mkdir -p disk
    if mount -t tmpfs -o size=300k tmpfs disk 2>/dev/null; then
        full=$work/disk
    fi
    while goes_on; do
        rm -f disk/*
        limit=unlimited
        [[ -n $full ]] || limit=$((40 + RANDOM % 100))
        "${run[@]}" --journal disk/j.sqlite >/dev/null 2>&1
        [[ -n $full ]] && head -c $((RANDOM % 200000)) /dev/zero >disk/fill 2>/dev/null
        for ((i = 0; i < 30; i++)); do
            before=$(recorded disk/j.sqlite)
            (
                ulimit -f $limit
                ends_well "${run[@]}" --journal disk/j.sqlite
            ) || break
            after=$(recorded disk/j.sqlite)
            ((after == before + 3)) || break
        done
        what="before $before results, after $(recorded disk/j.sqlite): $(head -n 1 err.txt)"
        (($(recorded disk/j.sqlite) >= before)) && is_whole disk/j.sqlite
        count $? "$what"
    done
    [[ -n $full ]] && umount "$full"
    full=
}

# ---- all -----------------------------------------------------------------------------------------------------

all=("kill -9" SIGINT SIGTERM SIGHUP "concurrent writers" "damaged experiment files" "damaged PTX"
    "damaged sources" "damaged journals" "damaged caches" "damaged imports" "full disk")
share=$((seconds / ${#all[@]}))
for name in "${all[@]}"; do
    begin "$name"
    case $name in
    "kill -9") kills KILL kill.sqlite ;;
    SIG*) kills "${name#SIG}" signal.sqlite ;;
    "concurrent writers") writers ;;
    "damaged experiment files") damaged_experiments ;;
    "damaged PTX") damaged_ptx ;;
    "damaged sources") damaged_sources ;;
    "damaged journals") damaged_journals ;;
    "damaged caches") damaged_caches ;;
    "damaged imports") damaged_imports ;;
    "full disk") full_disk ;;
    esac
done
printf '%-26s %8s %10s\n' kind tried survived
worst=0
for name in "${kinds[@]}"; do
    printf '%-26s %8d %10d\n' "$name" "${tried[$name]}" "${survived[$name]}"
    [[ -n ${first[$name]} ]] && printf '    first that did not: %s\n' "${first[$name]}"
    ((survived[$name] == tried[$name])) || worst=1
done
printf '%s, %d s, seed %s\n' "$("$RIDGE" --version)" "$SECONDS" "${SOAK_SEED:-4711}"
exit $worst
