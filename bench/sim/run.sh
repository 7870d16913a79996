#!/usr/bin/env bash
# The simulated H200's speed beside Oclgrind's on the same five kernels (kernels.cu, kernels.cl), every
# counter on, in one run on one machine: a table in Markdown. Seconds are the least of five launches for
# ridge (caches and trace included, compiling not), one run for Oclgrind, less a run of one work-group
# on its smallest problem (its start, its compiler, its buffers). "By 2 processes": what two launches of one thread do
# at the same time, each in a process of its own, over what one does alone: the most that 2 threads can be on this host.
# Then a share of the blocks (--sample-blocks) beside all of them.
# At last the same kernels as machine code of AMD's three chips, where a clang makes it. Needs oclgrind (Debian's package) for its columns. Usage: bench/sim/run.sh [COMPILER]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
compiler=${1:-auto}
build=${BUILD:-build}
make -s "BUILD=$build" ${CC:+"CC=$CC"} "$build/bench/sim/driver" >&2
driver=$build/bench/sim/driver
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp bench/sim/kernels.cl "$scratch"

#            kernel          global      local   sizes of the buffers in words; n
works=(
    "transpose_naive 1024,1024 16,16 1048576,1048576 1024"
    "transpose_tiled 1024,1024 16,16 1048576,1048576 1024"
    "reduce_tree     4194304   256   16384,4194304   4194304"
    "histogram       65536     256   256,4194304     4194304"
    "matmul_tiled    256,256   16,16 65536,65536,65536 256"
)

sim_file() { # kernel global local words n: what oclgrind-kernel reads
    local fill='fill=0' words
    local -a global local_
    IFS=, read -ra global <<<"$2"
    IFS=, read -ra local_ <<<"$3"
    printf 'kernels.cl\n%s\n%s %s 1\n%s %s 1\n' "$1" "${global[0]}" "${global[1]:-1}" \
        "${local_[0]}" "${local_[1]:-1}"
    for words in ${4//,/ }; do
        printf '<size=%s %s %s>\n' $((words * 4)) "$([[ $1 == histogram ]] && echo uint || echo float)" "$fill"
        fill="range=0:1:$((${4##*,} - 1))"
    done
    printf '<size=4 int>\n%s\n' "$5"
}

oclgrind_s() { # kernel global local words n
    local start end
    sim_file "$@" >"$scratch/run.sim"
    start=$(date +%s%N)
    (cd "$scratch" && oclgrind-kernel --num-threads 1 run.sim >/dev/null)
    end=$(date +%s%N)
    echo $((end - start))
}

"$driver" "$compiler" 1 >"$scratch/one" 2>"$scratch/compiler"
"$driver" "$compiler" 0 >"$scratch/all" 2>/dev/null
"$driver" "$compiler" 2 >"$scratch/two" 2>/dev/null
"$driver" "$compiler" twin >"$scratch/twin" 2>/dev/null
"$driver" "$compiler" 1 6 >"$scratch/checked" 2>/dev/null
"$driver" "$compiler" 1 0 0.1 >"$scratch/tenth" 2>/dev/null

echo "Host: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors. $(cat "$scratch/compiler")."
echo "Oclgrind: $(oclgrind-kernel --version 2>/dev/null | grep -oE '[0-9]+\.[0-9]+(\.[0-9]+)?' | head -n 1 || echo none). Date: $(date -u +%F)."
echo
echo '| kernel | lane-instructions | Oclgrind s | ridge s, 1 thread | times Oclgrind | G lane-instructions/s a core | speed-up on all processors | by 2 threads | by 2 processes | ridge s with --check |'
echo '|---|---|---|---|---|---|---|---|---|---|'
declare -A peers
for work in "${works[@]}"; do
    read -r kernel global local_size words n <<<"$work"
    peer_ns=
    peers[$kernel]=
    if command -v oclgrind-kernel >/dev/null; then
        all_ns=$(oclgrind_s "$kernel" "$global" "$local_size" "$words" "$n")
        one_ns=$(oclgrind_s "$kernel" "$local_size" "$local_size" "$words" "${local_size%%,*}")
        peer_ns=$((all_ns - one_ns))
        peers[$kernel]=$peer_ns
    fi
    awk -v kernel="$kernel" -v peer="$peer_ns" '
        $1 == kernel { seconds[FILENAME] = $3; lanes = $5; n++ }
        END {
            one = seconds[ARGV[1]]; all = seconds[ARGV[2]]; checked = seconds[ARGV[3]]
            two = seconds[ARGV[4]]; twin = seconds[ARGV[5]]
            printf "| %s | %.1f M | %s | %.4f | %s | %.2f | %.2f | %.2f | %.2f | %.4f |\n", kernel, lanes / 1e6,
                peer == "" ? "-" : sprintf("%.2f", peer / 1e9), one,
                peer == "" ? "-" : sprintf("%.0f", peer / 1e9 / one), lanes / one / 1e9, one / all, one / two,
                2 * one / twin, checked
        }' "$scratch/one" "$scratch/all" "$scratch/checked" "$scratch/two" "$scratch/twin"
done

echo
echo 'A tenth of the blocks, counters scaled up: error of each against the full run.'
echo
echo '| kernel | ridge s | times faster | instructions | L2 read sectors | DRAM bytes read | modelled time |'
echo '|---|---|---|---|---|---|---|'
awk 'FNR == NR { s[$1] = $3; wi[$1] = $4; us[$1] = $6; l2[$1] = $7; dram[$1] = $8; next }
     function error(a, b) { return b == 0 ? "-" : sprintf("%+.2f %%", 100 * (a / b - 1)) }
     { printf "| %s | %.4f | %.1f | %s | %s | %s | %s |\n", $1, $3, s[$1] / $3, error($4, wi[$1]),
         error($7, l2[$1]), error($8, dram[$1]), error($6, us[$1]) }' "$scratch/one" "$scratch/tenth"

# AMD's machine code, by the first clang that makes it; the model of time is on, as above.
amd_object() { # architecture
    local clang
    for clang in clang clang-{21..15}; do
        "$clang" -x hip --cuda-device-only "--offload-arch=$1" -nogpuinc -nogpulib -O3 -include assets/amd_min.h -S \
            -o "$scratch/$1.s" bench/sim/kernels.cu 2>"$scratch/clang.txt" &&
            "$clang" --target=amdgcn-amd-amdhsa "-mcpu=$1" -c "$scratch/$1.s" -o "$scratch/$1.o" 2>"$scratch/clang.txt" || continue
        "$clang" --version | grep -oE 'version [0-9.]+' | head -n 1
        return
    done
    return 1
}

for chip in mi250x:gfx90a mi300x:gfx942 rx7900xtx:gfx1100; do
    arch=${chip#*:}
    echo
    if ! version=$(amd_object "$arch"); then
        echo "sim:${chip%:*}: no clang here makes code for $arch."
        continue
    fi
    "$driver" "$compiler" 1 0 0 all "${chip%:*}" "$scratch/$arch.o" >"$scratch/amd"
    echo "sim:${chip%:*}, $arch by clang $version:"
    echo
    echo '| kernel | instructions of waves | ridge s, 1 thread | times Oclgrind |'
    echo '|---|---|---|---|'
    while read -r kernel _ seconds instructions _; do
        awk -v kernel="$kernel" -v s="$seconds" -v n="$instructions" -v peer="${peers[$kernel]}" 'BEGIN {
            printf "| %s | %.2f M | %.4f | %s |\n", kernel, n / 1e6, s, peer == "" ? "-" : sprintf("%.1f", peer / 1e9 / s) }'
    done <"$scratch/amd"
done
