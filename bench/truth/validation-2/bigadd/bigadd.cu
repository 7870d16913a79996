// Sums of many pairs of numbers of 1024 bits, 32 words each, lowest first; what overflows is dropped. Nothing is tuned on
// these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int WORDS = 32;

// A thread per number, word by word with the carry.
extern "C" __global__ void bigadd_thread(unsigned *sum, const unsigned *a, const unsigned *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned long long carry = 0;
    for (int w = 0; w < WORDS; w++) {
        carry += (unsigned long long)a[i * WORDS + w] + b[i * WORDS + w];
        sum[i * WORDS + w] = (unsigned)carry;
        carry >>= 32;
    }
}

// A warp per number: the carries of all lanes by one addition of votes.
extern "C" __global__ void bigadd_warp(unsigned *sum, const unsigned *a, const unsigned *b, int n)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (at / WORDS >= n)
        return;
    unsigned x = a[at], v = x + b[at];
    unsigned makes = __ballot_sync(~0u, v < x), passes = __ballot_sync(~0u, v == ~0u);
    unsigned carries = makes << 1, into = (carries + passes) ^ passes; // a carry runs through the ones of passes
    sum[at] = v + (into >> lane & 1);
}

// Four lanes per number of eight words: the hardware's carry within, shuffles between.
extern "C" __global__ void bigadd_four(uint4 *sum, const uint4 *a, const uint4 *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 4;
    bool real = i / 4 < n;
    uint4 x = {}, y = {}, u = {}, v = {};
    if (real) {
        x = a[2 * i], y = a[2 * i + 1];
        u = b[2 * i], v = b[2 * i + 1];
    }
    unsigned out;
    asm("add.cc.u32 %0, %0, %9;\n\taddc.cc.u32 %1, %1, %10;\n\taddc.cc.u32 %2, %2, %11;\n\taddc.cc.u32 %3, %3, %12;\n\t"
        "addc.cc.u32 %4, %4, %13;\n\taddc.cc.u32 %5, %5, %14;\n\taddc.cc.u32 %6, %6, %15;\n\taddc.cc.u32 %7, %7, %16;\n\taddc.u32 %8, 0, 0;"
        : "+r"(x.x), "+r"(x.y), "+r"(x.z), "+r"(x.w), "+r"(y.x), "+r"(y.y), "+r"(y.z), "+r"(y.w), "=r"(out)
        : "r"(u.x), "r"(u.y), "r"(u.z), "r"(u.w), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w));
    bool full = (x.x & x.y & x.z & x.w & y.x & y.y & y.z & y.w) == ~0u;
    unsigned in = 0;
    for (int k = 1; k < 4; k++) { // lane k's carry in is known when lane k - 1 knows its own
        unsigned next = __shfl_up_sync(~0u, out | (full && in), 1, 4);
        if (lane == k)
            in = next;
    }
    asm("add.cc.u32 %0, %0, %8;\n\taddc.cc.u32 %1, %1, 0;\n\taddc.cc.u32 %2, %2, 0;\n\taddc.cc.u32 %3, %3, 0;\n\t"
        "addc.cc.u32 %4, %4, 0;\n\taddc.cc.u32 %5, %5, 0;\n\taddc.cc.u32 %6, %6, 0;\n\taddc.u32 %7, %7, 0;"
        : "+r"(x.x), "+r"(x.y), "+r"(x.z), "+r"(x.w), "+r"(y.x), "+r"(y.y), "+r"(y.z), "+r"(y.w)
        : "r"(in));
    if (real) {
        sum[2 * i] = x;
        sum[2 * i + 1] = y;
    }
}
