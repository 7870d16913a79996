// y = 2x, and twice the same with requests that its lines stay in the L2 when the kernel has ended.
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void plain(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}

// Its loads and stores ask to be evicted last.
extern "C" __global__ void keeps_lines(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long policy;
    float x;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    if (i >= n)
        return;
    asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(x) : "l"(in + i), "l"(policy));
    asm volatile("st.global.L2::cache_hint.f32 [%0], %1, %2;" : : "l"(out + i), "f"(2 * x), "l"(policy) : "memory");
}

// When it is done it fetches its inputs once more, for the next launch.
extern "C" __global__ void fetches_again(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = 2 * in[i];
    if (i % 32 == 0)
        asm volatile("prefetch.global.L2::evict_last [%0];" : : "l"(in + i));
}
