// A copy by a kernel, the roof of the transposes: QUADS of 16 bytes a thread, all on their way at once. n counts floats,
// a multiple of 4.
// SPDX-License-Identifier: Apache-2.0
#ifndef QUADS
#define QUADS 2
#endif

extern "C" __global__ void __launch_bounds__(512) copy_quads(float4 *out, const float4 *in, long long n)
{
    long long first = (long long)blockIdx.x * (512 * QUADS) + threadIdx.x;
    float4 v[QUADS];
#pragma unroll
    for (int q = 0; q < QUADS; q++)
        if (first + q * 512 < n / 4)
            v[q] = __ldcs(in + first + q * 512);
#pragma unroll
    for (int q = 0; q < QUADS; q++)
        if (first + q * 512 < n / 4)
            __stcs(out + first + q * 512, v[q]);
}
