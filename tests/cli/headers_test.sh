#!/usr/bin/env bash
# ridge's own cooperative_groups.h, cuda_fp16.h and cuda_bf16.h for clang: against plain C, and where NVRTC is, bit by bit
# against CUDA's own.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang cc

mkdir own
cat >own/k.cu <<'END'
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;

__global__ void exact(float *y, const int *x)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    auto tile = cg::tiled_partition<8>(warp);
    int i = blockIdx.x * block.size() + block.thread_rank(), v = x[i];
    half h = __int2half_rn(v), k = h + h * __float2half(2.0f);
    half2 p = __hadd2(__halves2half2(h, k), __floats2half2_rn(1, 2));
    __nv_bfloat16 b = __float2bfloat16((float)v) * __float2bfloat16(4.0f);
    int most = 0;
    if (v & 1) {
        auto odd = cg::coalesced_threads();
        most = odd.shfl(odd.thread_rank(), odd.size() - 1) + 1 - (int)odd.size(); // 0
    }
    block.sync();
    y[4 * i] = __half2float(k) + __low2float(p) + __high2float(p);        // 3v + v+1 + 3v+2
    y[4 * i + 1] = __bfloat162float(b) + most;                            // 4v
    y[4 * i + 2] = cg::reduce(tile, v, cg::plus<int>());
    y[4 * i + 3] = warp.shfl_xor(v, 1) + tile.any(v > 8) + 2 * tile.all(v < 99) + tile.thread_rank();
}

__global__ void rounded(unsigned short *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    half a = __float2half(x[i]), b = __float2half(x[i] * 1.37f);
    __nv_bfloat16 c = __float2bfloat16(x[i]), d = __float2bfloat16(x[i] * 0.71f);
    unsigned short *to = y + 8 * i;
    to[0] = __half_as_ushort(a + b);
    to[1] = __half_as_ushort(a * b);
    to[2] = __half_as_ushort(__hfma(a, b, a));
    to[3] = __half_as_ushort(a - b * b);
    to[4] = __bfloat16_as_ushort(c + d);
    to[5] = __bfloat16_as_ushort(c * d);
    to[6] = __bfloat16_as_ushort(c - d * c);
    to[7] = __half_as_ushort(__hmax(a, __hneg(b)));
}
END
cat >own/reference.c <<'END'
void exact(float *y, const int *x, int n)
{
    for (int i = 0; i < n; i++) {
        int sum = 0, any = 0;
        for (int k = i / 8 * 8; k < i / 8 * 8 + 8; k++) {
            sum += x[k];
            any |= x[k] > 8;
        }
        y[4 * i] = 7 * x[i] + 3;
        y[4 * i + 1] = 4 * x[i];
        y[4 * i + 2] = sum;
        y[4 * i + 3] = x[i ^ 1] + any + 2 + i % 8;
    }
}
END
cat >own/experiment.yaml <<'END'
experiment: own
source: k.cu
reference: {call: reference.c:exact, args: [y, x, N]}
params: {N: 512}
buffers:
  x: {type: i32, count: N, fill: "integers(0,15)"}
  y: {type: f32, count: 4*N, output: true}
variants:
  - {name: first, kernel: exact, precision: bf16, grid: N/128, block: 128, args: [y, x]}
END
"$RIDGE" verify own --device sim:h200 -q --compiler clang >said.txt 2>&1
pass 'groups and numbers of 16 bits are known to clang' $? said.txt
cat >own/experiment.yaml <<'END'
experiment: own
source: k.cu
verify: self
params: {N: 4096}
buffers:
  x: {type: f32, count: N, fill: "normal(0,3)"}
  y: {type: u16, count: 8*N, output: true}
variants:
  - {name: first, kernel: rounded, grid: N/128, block: 128, args: [y, x]}
END
"$RIDGE" verify own --device sim:h200 -q --compiler clang >said.txt 2>&1
status=$?
if grep -q 'compiled by NVRTC\|not the same' said.txt; then
    pass "and round as CUDA's do" $status said.txt
else
    pass 'and run' $status said.txt
    echo "skip - and round as CUDA's do: NVRTC with a toolkit's headers is not here"
fi
finish
