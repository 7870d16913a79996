#!/usr/bin/env bash
# What devices exchange in `ridge scale`: on a fake driver with several GPUs and a fake NCCL, in each of the ways; outputs
# are right only where the exchange is.
# run-early: it takes long.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need clang cc jq
. "$root/tests/fleet/pair.sh"

json() { # json NAME FILTER: holds for out.json
    jq -e "$2" out.json >/dev/null
    pass "$1" $? out.json
}
scale() { # EXPERIMENT OPTIONS
    env FAKE_COUNT="${gpus-2}" FAKE_STRICT=1 RIDGE_COMPILER=clang \
        LD_LIBRARY_PATH="$work/driver" RIDGE_NCCL="$nccl" "$RIDGE" scale "pair/$1.yaml" \
        --device "${devices-cuda:0,cuda:1}" --rounds 2 -q "${@:2}" >out.json 2>err.txt
}
for gpus in 2 3; do
    devices=cuda:0,cuda:1
    [[ $gpus == 3 ]] && devices+=,cuda:2
    for way in nccl peer host; do
        [[ $gpus == 3 && $way != nccl ]] && continue
        case $way in
        nccl) nccl=$work/nccl/libnccl.so.2 ;;
        *) nccl=none ;;
        esac
        [[ $way == host ]] && export FAKE_NO_PEER=1
        for e in sum halo gather panels turn; do
            scale $e --json
            pass "$e of $gpus devices by $way is done" $? err.txt
            json 'in that way, verified and measured' \
                ".exchange.way == \"$way\" and .exchange.verified and .exchange.provenance == \"measured\""
            json 'beside the kernels' '.exchange | .compute_ns.median > 0 and .exchange_ns.median > 0 and .together_ns.median > 0'
        done
        unset FAKE_NO_PEER
    done
done
gpus=2 devices=cuda:0,cuda:1 nccl=$work/nccl/libnccl.so.2

scale sum --json
json 'a sum is as large as the output' '.exchange | .reduced_bytes == 4 and .halo_bytes == 0 and .half_halo_ns == null'
json 'NCCL says its version' '.exchange.version == "NCCL 2.27.3" and .exchange.instead == ""'
json 'links are copied over both ways' '.exchange.links | length == 1 and (.[0] | .there_ns > 0 and .back_ns > 0 and .both_ns > 0)'
scale halo --json
json 'a halo goes both ways between neighbours' '.exchange.halo_bytes == 2 * 256 * 4 and .exchange.received_bytes == 1024'
json 'half of it is timed too' '.exchange.half_halo_ns > 0'
json 'what the links carry is there where it is reported, and no model' '.exchange | has("nvlink_gbps") and has("model") and .model == null'
json 'the finding has its class, its share and what a fix is worth' '.exchange | .finding.class == "multi-GPU communication" and
    (.finding.share - .exchange_ns.median / (.exchange_ns.median + .compute_ns.median) | fabs) < 1e-9 and
    (.finding.fixes | type == "array" and all(.time_ns > 0 and .provenance == "measured"))'
scale gather --json
json 'what is gathered and broadcast is counted' '.exchange | .gathered_bytes == 65536 * 4 and .broadcast_bytes == 16'

scale panels --json
json 'of an input in panels each device receives those of the others' \
    '.exchange | .panel_bytes == 16 and .broadcast_bytes == 0 and .received_bytes >= 4 and .received_bytes <= 12'
scale turn --json
json 'of what is turned each device gets the others columns of its rows' \
    '.exchange | (.turned_bytes / (31 * 4096 * 4) - 0.5 | fabs) < 0.1 and .half_halo_ns == null and .halo_bytes == 0'

scale halo
grep -q '^Exchange of a round by NCCL (NCCL 2.27.3): 2.05 kB of halos; measured, outputs verified after it$' out.json
pass 'the report says how and how much' $? out.json
grep -Eq '^  multi-GPU communication: exchange is [0-9.]+ % of a round.$' out.json
pass 'an exchange that takes long is a finding' $? out.json

FAKE_NCCL_LOG=$work/log.txt scale sum
FAKE_NCCL_LOG=$work/log.txt NCCL_NVLS_ENABLE=1 scale sum
[[ $(cat log.txt) == $'NCCL_NVLS_ENABLE=0\nNCCL_NVLS_ENABLE=1' ]]
pass 'NVLink multicast is off unless the user switched it on' $? log.txt

FAKE_NCCL_FAILS=1 scale sum
pass 'an NCCL that does not connect costs the way' $? err.txt
grep -q 'by copies from GPU to GPU' out.json && grep -q 'Not by a better way: NCCL fails when it connects the GPUs: internal error$' out.json
pass 'which is said' $? out.json
nccl=/nowhere/libnccl.so.2 scale sum
grep -q 'Not by a better way: /nowhere/libnccl.so.2 is not here: pip install' out.json
pass 'so is an NCCL that is not there' $? out.json
FAKE_NO_PEER=1 nccl=none scale sum
grep -q "over the host's memory" out.json && grep -q 'cuda:0 cannot reach the memory of cuda:1$' out.json
pass 'and memory that cannot be reached' $? out.json

FAKE_NCCL_WRONG=1 scale sum
(($? == 1)) && grep -q "after the exchange by NCCL: on cuda:0: wrong result: out\[0\]" err.txt
pass 'a wrong exchange fails' $? err.txt

scale none
grep -q "has nothing to exchange: no 'add'" out.json
pass 'a split without an exchange is said' $? out.json
devices=cuda:0,sim:h200 scale sum --json
json 'with simulated devices beside real ones nothing is made up' '.exchange == null and (.exchange_note | contains("between simulated and real"))'

scale sum --scaling strong --json
json 'scaling has the exchange of each number of devices' '.points | .[0].exchange_ns == null and .[1].exchange_ns > 0 and .[1].together_ns > 0'
scale sum --scaling weak
pass 'as a table, too' $? err.txt
grep -Eq '^ +2( +[0-9.]+ [num]?s){2} +[0-9.]+ % +[0-9.]+ [num]?s +[0-9.]+ %$' out.json
pass 'and what it costs of the efficiency' $? out.json
finish
