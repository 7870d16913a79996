# Sourced by tests of exchanges: the fakes (driver/libcuda.so.1, nccl/libnccl.so.2) and an experiment per way of exchanging
# (pair/sum.yaml, halo, gather, turn; none has nothing to exchange), in $work.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
read -ra cc <<<"${CC:-cc}"

build() { # output, flags and sources
    "${cc[@]}" -std=gnu17 -fPIC -I"$root/src" -o "$work/$1" "${@:2}"
}
mkdir driver nccl
{
    build driver/rest.o -c -DFAKE_REST "$root/tests/device/fake_driver.c" &&
        build driver/fake.o -c "$root/tests/device/fake_driver.c" &&
        build driver/libcuda.so.1 -shared -Wl,-soname,libcuda.so.1 "$work"/driver/{fake,rest}.o &&
        build nccl/libnccl.so.2 -shared "$root/tests/fleet/fake_nccl.c" -L"$work/driver" -l:libcuda.so.1
} >build.txt 2>&1
pass 'the fakes compile' $? build.txt
cp -r "$root/tests/fleet/pair" .

experiment() { # NAME KERNEL COUNT-OF-OUT SPLIT FURTHER-ARGUMENT
    cat >"pair/$1.yaml" <<END
experiment: $1
title: What two devices exchange
source: pair.cu
reference: reference.c:$2_ref
params:
  N: [65536]
buffers:
  in: {type: f32, count: N, fill: "integers(0,9)"}
  factor: {type: f32, count: 4, fill: "integers(1,5)"}
  out: {type: f32, count: $3, output: true, tolerance: {rel: 1e-6, abs: 0}}
split: $4
variants:
  - name: plain
    kernel: $2
    grid: ceil_div(N,256)
    block: 256
    args: [out, in, N$5]
END
}
experiment sum total 1 '{over: N, granule: 256, add: [out]}' ''
experiment halo beside N '{over: N, granule: 256, halo: 256}' ''
experiment gather scaled N '{over: N, granule: 256, gather: [out], broadcast: [factor]}' ', factor'
experiment panels scaled N '{over: N, granule: 256, panels: [factor]}' ', factor'
experiment turn turned '31*N' '{over: N, granule: 256, columns: [out], turn: [out]}' ', 31'
sed -i 's/in: {type: f32, count: N,/in: {type: f32, count: 31*N,/; s/65536/4096/' pair/turn.yaml
experiment none scaled N '{over: N, granule: 256}' ', factor'
