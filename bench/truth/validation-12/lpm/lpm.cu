// An entry of a table is a hop, or, with bit 16, which 256 entries of the next table follow. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void lpm_thread(unsigned short *hops, const unsigned *addresses, const unsigned *t16, const unsigned *t24, const unsigned *t32, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned a = addresses[i], e = t16[a >> 16];
    if (e & 0x10000) {
        e = t24[(e & 1023) * 256 + (a >> 8 & 255)];
        if (e & 0x10000)
            e = t32[(e & 255) * 256 + (a & 255)];
    }
    hops[i] = e;
}

extern "C" __global__ void __launch_bounds__(128) lpm_fours(ushort4 *__restrict__ hops, const uint4 *__restrict__ addresses, const unsigned *__restrict__ t16,
                                                            const unsigned *__restrict__ t24, const unsigned *__restrict__ t32, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    uint4 v = addresses[i];
    unsigned a[4] = {v.x, v.y, v.z, v.w}, e[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        e[k] = __ldg(&t16[a[k] >> 16]);
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (e[k] & 0x10000)
            e[k] = __ldg(&t24[(e[k] & 1023) << 8 | (a[k] >> 8 & 255)]) | 0x20000;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if ((e[k] & 0x30000) == 0x30000)
            e[k] = __ldg(&t32[(e[k] & 255) << 8 | (a[k] & 255)]);
    hops[i] = make_ushort4(e[0], e[1], e[2], e[3]);
}
