// A thread walks along a row, word by word, so many of them on the way at once: for tuning the model of time.
// SPDX-License-Identifier: Apache-2.0
template <int WORDS> __device__ void walk(unsigned *out, const char *from, int pitch, int count)
{
    const char *p = from + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * pitch;
    unsigned v = 0;
    for (int i = 0; i < count; i += WORDS, p += 4 * WORDS) {
        unsigned x[WORDS];
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            asm volatile("ld.global.u32 %0, [%1];" : "=r"(x[k]) : "l"(p + v + 4 * k) : "memory");
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            v += x[k]; // zeros: the next words wait for these
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

extern "C" __global__ void walk1(unsigned *out, const char *from, int pitch, int count)
{
    walk<1>(out, from, pitch, count);
}

extern "C" __global__ void walk2(unsigned *out, const char *from, int pitch, int count)
{
    walk<2>(out, from, pitch, count);
}

extern "C" __global__ void walk4(unsigned *out, const char *from, int pitch, int count)
{
    walk<4>(out, from, pitch, count);
}

extern "C" __global__ void walk8(unsigned *out, const char *from, int pitch, int count)
{
    walk<8>(out, from, pitch, count);
}
