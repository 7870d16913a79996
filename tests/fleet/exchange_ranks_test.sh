#!/usr/bin/env bash
# What ranks exchange in `ridge scale`, a process and a GPU each: on a fake driver and a fake NCCL, whose processes send
# each other files; outputs are right only where the exchange is. A rank that cannot go on does not hold the others up.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need clang cc jq
. "$root/tests/fleet/pair.sh"
trap 'rm -rf "$work" /tmp/fake-nccl-??????' EXIT

jobs=0
ranks() { # COUNT EXPERIMENT OPTIONS: status of rank 0; others' in $others
    local count=$1 experiment=$2 rank pids=()
    shift 2
    jobs=$((jobs + 1))
    for ((rank = 0; rank < count; rank++)); do
        env RIDGE_RANK=$rank RIDGE_RANKS="$count" RIDGE_LOCAL_RANK=$rank RIDGE_RANKS_JOB=job$jobs FAKE_COUNT=3 FAKE_STRICT=1 \
            RIDGE_COMPILER=clang LD_LIBRARY_PATH="$work/driver" RIDGE_NCCL="${nccl-$work/nccl/libnccl.so.2}" \
            timeout 100 "$RIDGE" scale "pair/$experiment.yaml" --device "${devices-cuda:0,cuda:1,cuda:2}" --rounds 2 -q "$@" \
            >out.$rank 2>err.$rank </dev/null &
        pids+=($!)
    done
    wait "${pids[0]}"
    local status=$?
    others=0
    for pid in "${pids[@]:1}"; do wait "$pid" || others=$?; done
    return $status
}
json() { # json NAME FILTER: holds for rank 0's output
    [[ -s out.0 ]] && jq -e "$2" out.0 >/dev/null
    pass "$1" $? out.0
}

for count in 2 3; do
    for e in sum halo gather panels turn; do
        ranks $count $e --json
        pass "$e of $count ranks is done" $? err.0
        json 'by NCCL, verified and measured' '.exchange | .way == "nccl" and .verified and .provenance == "measured" and .compute_ns.median > 0 and .exchange_ns.median > 0 and .together_ns.median > 0'
        json 'and every link between neighbours' ".exchange.links | length == $count - 1 and all(.[]; .there_ns > 0 and .back_ns > 0 and .both_ns > 0)"
        ((others == 0))
        pass 'the others end with it' $? err.1
    done
done
ranks 2 halo --json
json 'bytes are counted as in one process' '.exchange | .halo_bytes == 2 * 256 * 4 and .received_bytes == 1024 and .half_halo_ns > 0'
ranks 3 sum --scaling strong --json
json 'a table of scaling has the exchange of each number of ranks' '.points | .[0].exchange_ns == null and .[1].exchange_ns > 0 and .[2].exchange_ns > 0'

FAKE_NCCL_WRONG=1 ranks 3 sum
(($? == 1)) && grep -q "after the exchange by NCCL: \(rank [12]: \)\?on cuda:[012]: wrong result: out\[0\]" err.0
pass 'a wrong exchange fails' $? err.0
began=$SECONDS
FAKE_NCCL_LEAVES=1 ranks 2 sum --json
pass 'a rank whose part of the exchange fails costs the exchange alone' $? err.0
((SECONDS - began < 60))
pass 'and holds nobody up' $?
json 'which is said' '.verified and .exchange == null and (.exchange_note | test("^rank 1: the exchange ended its process without a result \\(exit status 9\\)"))'
nccl=none ranks 2 sum --json
json 'without NCCL there is no exchange between ranks' '.verified and .exchange == null and (.exchange_note | contains("RIDGE_NCCL=none leaves NCCL out"))'
devices=cuda:0,sim:h200 ranks 2 sum --json
json 'nor with a simulated device among them' '.exchange == null and (.exchange_note | contains("between simulated and real"))'

if command -v mpirun >/dev/null; then
    env FAKE_COUNT=3 FAKE_STRICT=1 RIDGE_COMPILER=clang LD_LIBRARY_PATH="$work/driver" RIDGE_NCCL="$work/nccl/libnccl.so.2" \
        timeout 200 mpirun --allow-run-as-root --oversubscribe -n 3 --enable-recovery "$RIDGE" scale pair/turn.yaml \
        --device cuda:0,cuda:1,cuda:2 --rounds 2 -q --json >out.0 2>err.0 </dev/null
    pass 'mpirun starts ranks that exchange' $? err.0
    json 'which is verified' '.exchange | .verified and .turned_bytes > 0'
else
    echo 'skip - mpirun starts ranks that exchange: mpirun is not here'
fi
finish
