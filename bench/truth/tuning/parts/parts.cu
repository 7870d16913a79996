// One kernel a mechanism, for tuning the model of time.
// SPDX-License-Identifier: Apache-2.0
#define ME (blockIdx.x * blockDim.x + threadIdx.x)

__constant__ float table[64];

// 64 constants at addresses known to the compiler.
extern "C" __global__ void const_operands(float *out, float x)
{
    float sum = x;
    for (int i = 0; i < 16; i++)
#pragma unroll
        for (int k = 0; k < 64; k++)
            sum = sum * table[k] + x;
    out[ME] = sum;
}

// Constants at an address known at run time, the same for all lanes.
extern "C" __global__ void const_indexed(float *out, float x, int step)
{
    float sum = x;
    for (int i = 0; i < 1024; i += step)
        sum = sum * table[i & 63] + x;
    out[ME] = sum;
}

extern "C" __global__ void shuffles(unsigned *out)
{
    unsigned v = ME;
    for (int i = 0; i < 64; i++)
#pragma unroll
        for (int k = 1; k < 32; k *= 2)
            v += __shfl_xor_sync(~0u, v, k);
    out[ME] = v;
}

// Shuffles and loads that hit L1 at the same time.
extern "C" __global__ void shuffles_loads(unsigned *out, const unsigned *in)
{
    unsigned v = threadIdx.x, sum = 0;
    for (int i = 0; i < 64; i++) {
#pragma unroll
        for (int k = 1; k < 32; k *= 2)
            v += __shfl_xor_sync(~0u, v, k);
#pragma unroll
        for (int k = 0; k < 4; k++)
            sum += in[(threadIdx.x * 8 + i * 4 + k) & 4095];
    }
    out[ME] = v + sum;
}

extern "C" __global__ void shared_atomics(unsigned *out, const unsigned *in)
{
    __shared__ unsigned s[1024];
    for (int i = threadIdx.x; i < 1024; i += 256)
        s[i] = 0;
    __syncthreads();
    unsigned h = in[threadIdx.x];
    for (int i = 0; i < 64; i++) {
        h = h * 1664525u + 1013904223u;
        atomicAdd(&s[h >> 22], 1u);
    }
    __syncthreads();
    out[ME] = s[threadIdx.x];
}

extern "C" __global__ void shared_walk(unsigned *out, int stride)
{
    __shared__ unsigned s[4096];
    for (int i = threadIdx.x; i < 4096; i += 256)
        s[i] = i;
    __syncthreads();
    unsigned sum = 0;
    for (int i = 0; i < 256; i++)
        sum += s[(threadIdx.x * stride + i * 33) & 4095];
    out[ME] = sum;
}

// All blocks read the same 512 KiB in step.
extern "C" __global__ void same_lines(float *out, const float4 *in)
{
    float sum = 0;
#pragma unroll 4
    for (int i = threadIdx.x; i < 32768; i += 256) {
        float4 v = in[i];
        sum += v.x + v.y + v.z + v.w;
    }
    out[ME] = sum;
}

// 16 KiB read 16 times at places that differ by warp: hits that wait for their own line.
extern "C" __global__ void l1_again(float *out, const float *in)
{
    const float *own = in + blockIdx.x % 264 * 4096;
    float sum = 0;
    for (int i = 0; i < 256; i++)
        sum += own[(threadIdx.x + i * 160) & 4095];
    out[ME] = sum;
}

// A chain through L2, one warp a block.
extern "C" __global__ void chase_l2(unsigned *out, const unsigned *next, int steps)
{
    unsigned at = ME * 64;
    for (int i = 0; i < steps; i++)
        at = next[at & 0xfffff] * 97 + ME;
    out[ME] = at;
}

extern "C" __global__ void async_copy(float *out, const float4 *in, int tiles)
{
    __shared__ float4 s[2][256];
    int t = threadIdx.x;
    size_t from = (size_t)blockIdx.x * tiles * 256 + t;
    float sum = 0;
    unsigned to = (unsigned)__cvta_generic_to_shared(&s[0][t]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.commit_group;" ::"r"(to), "l"(in + from) : "memory");
    for (int i = 1; i <= tiles; i++) {
        unsigned next = (unsigned)__cvta_generic_to_shared(&s[i & 1][t]);
        if (i < tiles)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(next), "l"(in + from + i * 256) : "memory");
        asm volatile("cp.async.commit_group; cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        float4 v = s[(i - 1) & 1][t ^ 1];
        sum += v.x + v.y + v.z + v.w;
        __syncthreads();
    }
    out[ME] = sum;
}

extern "C" __global__ void mma_chain(float *out, int steps)
{
    float d[4] = {}, e[4] = {};
    unsigned a = threadIdx.x, b = threadIdx.x + 1;
    for (int i = 0; i < steps; i++) {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a), "r"(b));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};"
                     : "+f"(e[0]), "+f"(e[1]), "+f"(e[2]), "+f"(e[3]) : "r"(a), "r"(b));
    }
    out[ME] = d[0] + d[1] + d[2] + d[3] + e[0] + e[1] + e[2] + e[3];
}

extern "C" __global__ void reads(float *out, const float4 *in, int n)
{
    float sum = 0;
    for (int i = ME; i < n; i += gridDim.x * blockDim.x) {
        float4 v = in[i];
        sum += v.x + v.y + v.z + v.w;
    }
    if (sum == 12345)
        out[0] = sum;
}

extern "C" __global__ void writes(float4 *out, int n)
{
    for (int i = ME; i < n; i += gridDim.x * blockDim.x)
        out[i] = make_float4(1, 2, 3, 4);
}

extern "C" __global__ void copies4(float *out, const float *in, int n)
{
    int i = ME;
    if (i < n)
        out[i] = in[i];
}

extern "C" __global__ void copies16(float4 *out, const float4 *in, int n)
{
    int i = ME;
    if (i < n)
        out[i] = in[i];
}

extern "C" __global__ void copies16x4(float4 *out, const float4 *in, int n)
{
    int i = blockIdx.x * 1024 + threadIdx.x;
    float4 v[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        v[k] = in[i + k * 256];
#pragma unroll
    for (int k = 0; k < 4; k++)
        out[i + k * 256] = v[k];
}

extern "C" __global__ void random_reads(unsigned *out, const unsigned *in, int n)
{
    unsigned h = ME * 2654435761u;
    h = (h ^ h >> 16) * 0x7feb352du;
    out[ME] = in[(h ^ h >> 15) & (n - 1)];
}
