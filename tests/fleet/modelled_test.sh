#!/usr/bin/env bash
# The exchange between simulated GPUs: modelled by their node's file, for two to 1024 of them; the whole is put together and
# verified while they are few. docs/scale.md, "Modelled".
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need clang cc jq

mkdir data
ln -s "$root/assets" "$root/experiments" data
cp -r "$root/gpus" data
export RIDGE_DATA_DIR=$work/data
json() { # json NAME FILTER: holds for out.json
    jq -e "$2" out.json >/dev/null
    pass "$1" $? out.json
}
scale() { "$RIDGE" scale --seed 7 -q "$@" >out.json 2>err.txt; }

scale reduction --variant one-launch --param N=65536 --device sim:h200x4 --json
pass 'four simulated GPUs are one word' $? err.txt
json 'each has a share, all are run, and the whole is verified' '(.devices | length) == 4 and (.sampled | not) and .verified and (.devices | all(.units == 16384))'
json 'the exchange is modelled, said so, and not called verified' '.exchange | .way == "model" and .provenance == "modelled" and (.verified | not) and .model.node == "HGX H200" and .model.nodes == 1'
# Four bytes: 6 hops of the small protocol's 600 ns in a ring, 4 B over a quarter of 302.7 GB/s, and the start of 11200 ns.
json 'an all-reduce of four is that of a ring' '.exchange | .reduced_bytes == 4 and (.exchange_ns.median - (11200 + 6 * 600 + 6 / (302.7 / 4)) | fabs) < 0.01'
json 'both at once take the longer' '.exchange | .together_ns.median == ([.exchange_ns.median, .compute_ns.median] | max) and .exchange_ns.samples == 0'
json 'its finding is modelled' '.exchange.finding | .class == "multi-GPU communication" and (.fixes | all(.provenance == "modelled"))'
scale reduction --variant one-launch --param N=65536 --device sim:h200x2
grep -q '^Exchange of a round by a model (1 node of HGX H200): 4 B summed; modelled, held against measured exchanges (up to 2 GPUs within 26 %)$' out.json
pass 'two of them are said to be held against measured ones' $? out.json
scale reduction --variant one-launch --param N=65536 --device sim:h200x3
grep -q 'modelled, not validated for so many (up to 2 GPUs within 26 %)$' out.json
pass 'three are not' $? out.json

# Messages: a halo between neighbours, a turn between all, panels around.
scale "$root/examples/halo" --param M=64 --param N=256 --device sim:h200x3 --json
json 'a device in the middle has two messages of a row' '.exchange | .halo_bytes == 4 * 256 * 4 and (.exchange_ns.median - (11200 + 2 * 600 + 2 * 1024 / (302.7 / 4)) | fabs) < 0.01'
json 'a halo of one row has no half' '.exchange.half_halo_ns == null and (.exchange.finding.fixes | length) == 1'
scale conv1d --variant shared --param N=65536 --param K=129 --device sim:h200x2 --json
json 'a longer one has' '.exchange | .half_halo_ns > 0 and .half_halo_ns < .exchange_ns.median'
scale transpose-any --param M=256 --param N=256 --device sim:h200x2 --json
json 'half of a turned matrix goes each way' '.exchange | .turned_bytes == 256 * 256 * 4 / 2 and (.exchange_ns.median - (11200 + 600 + .turned_bytes / 2 / (302.7 / 4)) | fabs) < 0.01'
scale matmul-f32 --variant naive --param M=1024 --param N=128 --param K=128 --device sim:h200x2 --json
json 'panels go around the ring' '.exchange | .panel_bytes == 65536 and (.exchange_ns.median - (11200 + 600 + 65536 / (302.7 / 4)) | fabs) < 0.01'

# Many.
scale reduction --variant one-launch --param N=1048576 --device sim:h200x1024 --scaling strong --json
pass 'a thousand are done' $? err.txt
json 'powers of two stand for the numbers above eight' '[.points[].devices] == [1,2,3,4,5,6,7,8,16,32,64,128,256,512,1024]'
json 'of equal shares one is run, so that nothing is verified' '.sampled and (.verified | not) and ([.rounds[-1].units | add] == [1048576]) and (.devices | length) == 1024'
json 'they are 128 nodes, and their sum goes by a tree between these' '.exchange.model.nodes == 128 and .points[-1].exchange_ns < 11200 + 14 * 600 + 14 * 2700 + 1'
json 'more GPUs exchange longer' '[.points[1:][].exchange_ns] | . == sort and (unique | length) == length'
scale reduction --variant one-launch --param N=1048576 --device sim:h200x32
grep -Eq '^  sim:h200 +32768 +3.1 % .*; 32 alike$' out.json && grep -q 'one was run and stands for all; nothing was put together' out.json &&
    grep -Eq '^ +1 .* 32768 each$' out.json
pass 'and the text says so in a line' $? out.json
scale reduction --variant one-launch --param N=65536 --device sim:h200,sim:h100x2 --json
json 'unlike nodes are as slow as the slowest, and not validated' '.exchange.model | .validated_gpus == null and .link_gbps == 302.7'

# Ranks: each by its own chip's node.
export RIDGE_HOME=$work/home RIDGE_RANKS=3 RIDGE_RANKS_JOB=modelled
mkdir -p home
for rank in 1 2 0; do
    RIDGE_RANK=$rank RIDGE_LOCAL_RANK=$rank timeout 100 "$RIDGE" scale reduction --variant one-launch --param N=65536 \
        --device sim:h200x2,sim:a100 --seed 7 -q --json >out.$rank 2>err.$rank &
done
wait
unset RIDGE_HOME RIDGE_RANKS RIDGE_RANKS_JOB
cp out.0 out.json
json 'of ranks every one counts by its own chip' '(.devices | length) == 3 and .exchange.way == "model" and .exchange.model.link_gbps == 240 and .exchange.model.validated_gpus == null'

# What a file does not say is not made up.
scale reduction --variant one-launch --param N=65536 --device sim:rtx4090x5 --json
json 'more GPUs than a node without a network has are not modelled' '.exchange == null and .exchange_note == "The exchange is not modelled: PCIe 4.0 x16 has 4 GPUs and its file no network to other nodes: 5 are too many."'
rm data/gpus/nodes/hgx-h200.yaml
scale reduction --variant one-launch --param N=65536 --device sim:h200x2 --json
json 'nor are those of a chip without a node' '.exchange == null and .exchange_note == "No file of gpus/nodes says how GPUs of the type h200 are linked, so that their exchange is not modelled."'
cp "$root/gpus/nodes/hgx-h200.yaml" data/gpus/nodes
sed -i 's/^link_gbps: .*/link_gbps: 450/' data/gpus/nodes/hgx-h200.yaml
scale reduction --variant one-launch --param N=65536 --device sim:h200x2
(($? == 2)) && grep -q "hgx-h200.yaml:[0-9:]* 'link_gbps' must be a map" err.txt
pass 'a figure without a source is refused' $? err.txt
cp "$root/gpus/nodes/hgx-h200.yaml" data/gpus/nodes

# Lists of devices.
expect 'more than 1024 are refused' 2 scale reduction --device sim:h200x1025 <<'END'
ridge: option --device: 'sim:h200x1025': give 1 to 1024 devices in all
END
expect 'none is refused' 2 scale reduction --device sim:h200x0 <<'END'
ridge: option --device: 'sim:h200x0': give 1 to 1024 devices in all
END
scale reduction --variant one-launch --param N=65536 --device sim:rtx4090 --json
json 'a chip whose name ends like that is one device' '[.devices[].id] == ["sim:rtx4090"]'

# The page's tables are the model's.
model=$(cd "$root" && realpath "${BUILD:-build}")/bench/scale/model
"$model" >tables.txt 2>err.txt
sed -n '/^<!-- model:/,/^<!-- end of model/{/^<!--/d;p}' "$root/docs/scale.md" | diff - tables.txt >difference.txt
pass 'docs/scale.md has the tables of bench/scale/model' $? difference.txt

# Links alone.
"$RIDGE" probe --device sim:h200x16 --json >out.json 2>err.txt
pass 'links of simulated GPUs are modelled' $? err.txt
json 'five collectives over six sizes' '(.rows | length) == 30 and .way == "model" and .model.nodes == 2 and (.rows | all(.provenance == "modelled" and (.verified | not) and .time_ns > 11200))'
json 'no bandwidth is above the links' '.rows | all(.bus_gbps < 302.7)'
json 'a message to the next node ends at its network' '[.rows[] | select(.collective == "send-receive")][-1].bus_gbps | . > 49 and . < 50'
"$RIDGE" probe --device sim:h200x2 >out.json 2>err.txt
grep -q '^Links of 2 simulated GPUs, 1 node of HGX H200; modelled, held against measured exchanges' out.json
pass 'and said to be' $? out.json
"$RIDGE" probe --device sim:mi300x,sim:mi300x >out.json 2>err.txt
(($? == 2)) && grep -q 'No file of gpus/nodes says how GPUs of the type mi300x are linked' err.txt
pass 'of chips without a node they are not' $? err.txt
finish
