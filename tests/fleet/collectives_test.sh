#!/usr/bin/env bash
# What links deliver, `ridge probe` of several devices: on a fake driver with several GPUs, a fake NCCL and a fake NVML.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need cc jq
read -ra cc <<<"${CC:-cc}"

build() { # output, flags and sources
    "${cc[@]}" -std=gnu17 -fPIC -I"$root/src" -o "$work/$1" "${@:2}"
}
mkdir driver nccl nvml
{
    build driver/rest.o -c -DFAKE_REST "$root/tests/device/fake_driver.c" &&
        build driver/fake.o -c "$root/tests/device/fake_driver.c" &&
        build driver/libcuda.so.1 -shared -Wl,-soname,libcuda.so.1 "$work"/driver/{fake,rest}.o &&
        build nccl/libnccl.so.2 -shared "$root/tests/fleet/fake_nccl.c" -L"$work/driver" -l:libcuda.so.1 &&
        build nvml/libnvidia-ml.so.1 -shared "$root/tests/device/fake_nvml.c"
} >build.txt 2>&1
pass 'the fakes compile' $? build.txt

probe() { # DEVICES OPTIONS
    env FAKE_COUNT=3 FAKE_STRICT=1 FAKE_NS=5000000 FAKE_NOISE=6400 FAKE_NVLINKS="${links-17}" LD_LIBRARY_PATH="$work/driver:$work/nvml" RIDGE_NCCL="${nccl-$work/nccl/libnccl.so.2}" \
        "$RIDGE" probe --device "$@" >out.json 2>err.txt
}
json() { # json NAME FILTER: holds for out.json
    [[ -s out.json ]] && jq -e "$2" out.json >/dev/null
    pass "$1" $? err.txt
}

probe cuda:0,cuda:1,cuda:2 --json
pass 'links of three GPUs are measured' $? err.txt
json 'five collectives over six sizes are rows' '[.rows[].collective] | unique == ["all-gather","all-reduce","all-to-all","reduce-scatter","send-receive"] and length == 30'
json 'each with its time, interval and provenance' '.rows | length == 30 and all(.[]; .time_ns > 0 and .low_ns <= .time_ns and .time_ns <= .high_ns and .provenance == "measured")'
json 'results up to 4 MiB are verified' '.rows | all(.[]; .verified == (.bytes <= 4194304))'
json 'an all-reduce of three sends 4/3 of its size' '[.rows[] | select(.collective == "all-reduce")][5] | ((.bytes / .time_ns * 4 / 3) / .bus_gbps - 1 | fabs) < 1e-6'
json 'every pair is measured in both directions' '.pairs | length == 6 and (map([.from, .to]) | unique | length == 6)'
json 'multicast is off' '.nvls == false and .way == "nccl"'

probe cuda:0,cuda:1 --json
json 'the roof is that of the links NVML reports' '.rows | all(.[]; .roof == "ring over NVLink" and .roof_gbps > 0 and (.of_roof * .roof_gbps / .bus_gbps - 1 | fabs) < 1e-6)'
links=0 probe cuda:0,cuda:1 --json
json 'without NVLink it is that of PCIe' '.rows | all(.[]; .roof == "ring over PCIe" and .roof_gbps > 60 and .roof_gbps < 64)'
NCCL_NVLS_ENABLE=1 probe cuda:0,cuda:1 --json
json 'with multicast the roof of an all-reduce is the switch' '.nvls and (.rows | all(.[]; .roof == (if .collective == "all-reduce" then "NVLS over NVLink" else "ring over NVLink" end)))'

FAKE_NCCL_SLOW=1-2 probe cuda:0,cuda:1,cuda:2 --json
json 'a slow pair is named, with an interval' '.slow | .from == "cuda:1" and .to == "cuda:2" and .device == null and .low < .ratio + 0.01 and .ratio < 0.5 and .high < 0.6'
FAKE_NCCL_SLOW=1-2 probe cuda:0,cuda:1,cuda:2
grep -Eq '^Slow: cuda:1 to cuda:2, whose messages take [0-9.]+ times as long' out.json
pass 'which the text says' $? out.json
FAKE_NCCL_SLOW=1-* probe cuda:0,cuda:1,cuda:2 --json
json 'a device all of whose messages are slow is named instead' '.slow | .device == "cuda:1" and .from == null'

nccl=none probe cuda:0,cuda:1 --json
json 'without NCCL it is copies, and said so' '.way == "peer" and (.instead | contains("RIDGE_NCCL=none")) and (.rows | length == 26)'
FAKE_NCCL_WRONG=1 probe cuda:0,cuda:1
(($? == 1)) && grep -q "the links' results are wrong: all-reduce of 1024 bytes: element" err.txt
pass 'a wrong result fails' $? err.txt
probe cuda:0,sim:h200
(($? == 2)) && grep -q 'sim:h200 is simulated' err.txt
pass 'links of simulated GPUs are not made up' $? err.txt
probe cuda:0,cuda:0
(($? == 2)) && grep -q 'cuda:0 is named twice' err.txt
pass 'a device is named once' $? err.txt
finish
