// x = x * b / 2^256 modulo 2^256 - 2^32 - 977, four times: Montgomery's products, word by word. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned long long u64;
typedef unsigned u32;

#define PRIME64 0xfffffffefffffc2full // its lowest word, the others have all bits set
#define NEGATIVE64 0xd838091dd2253531ull
#define NEGATIVE32 0xd2253531u

// sum + a * b + carry, whose upper word becomes the carry
__device__ u64 multiply_add(u64 sum, u64 a, u64 b, u64 &carry)
{
    u64 low = a * b, high = __umul64hi(a, b);
    low += carry;
    high += low < carry;
    low += sum;
    high += low < sum;
    carry = high;
    return low;
}

// Four words of 64 bits, carries by comparison.
extern "C" __global__ void mont_words64(u64 *out, const u64 *a, const u64 *b, int count)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= count)
        return;
    const u64 prime[4] = {PRIME64, ~0ull, ~0ull, ~0ull};
    u64 x[4], t[6] = {};
    for (int i = 0; i < 4; i++)
        x[i] = a[n * 4 + i];
    for (int i = 0; i < 4; i++) {
        u64 y = b[n * 4 + i], carry = 0;
        for (int j = 0; j < 4; j++)
            t[j] = multiply_add(t[j], x[j], y, carry);
        t[4] += carry;
        t[5] = t[4] < carry;
        u64 m = t[0] * NEGATIVE64;
        carry = 0;
        multiply_add(t[0], m, prime[0], carry);
        for (int j = 1; j < 4; j++)
            t[j - 1] = multiply_add(t[j], m, prime[j], carry);
        t[3] = t[4] + carry;
        t[4] = t[5] + (t[3] < carry);
    }
    u64 less[4], borrow = 0;
    for (int i = 0; i < 4; i++) {
        u64 d = t[i] - prime[i];
        less[i] = d - borrow;
        borrow = (t[i] < prime[i]) | (d < borrow);
    }
    for (int i = 0; i < 4; i++)
        out[n * 4 + i] = t[4] || !borrow ? less[i] : t[i];
}

// t += a * b by 32 bits: the lower halves of the products in one chain of carries, the upper halves in another.
__device__ void add_product(u32 *t, const u32 *a, u32 b)
{
    asm("mad.lo.cc.u32 %0, %10, %18, %0;\n\t"
        "madc.lo.cc.u32 %1, %11, %18, %1;\n\t"
        "madc.lo.cc.u32 %2, %12, %18, %2;\n\t"
        "madc.lo.cc.u32 %3, %13, %18, %3;\n\t"
        "madc.lo.cc.u32 %4, %14, %18, %4;\n\t"
        "madc.lo.cc.u32 %5, %15, %18, %5;\n\t"
        "madc.lo.cc.u32 %6, %16, %18, %6;\n\t"
        "madc.lo.cc.u32 %7, %17, %18, %7;\n\t"
        "addc.cc.u32 %8, %8, 0;\n\t"
        "addc.u32 %9, %9, 0;\n\t"
        "mad.hi.cc.u32 %1, %10, %18, %1;\n\t"
        "madc.hi.cc.u32 %2, %11, %18, %2;\n\t"
        "madc.hi.cc.u32 %3, %12, %18, %3;\n\t"
        "madc.hi.cc.u32 %4, %13, %18, %4;\n\t"
        "madc.hi.cc.u32 %5, %14, %18, %5;\n\t"
        "madc.hi.cc.u32 %6, %15, %18, %6;\n\t"
        "madc.hi.cc.u32 %7, %16, %18, %7;\n\t"
        "madc.hi.cc.u32 %8, %17, %18, %8;\n\t"
        "addc.u32 %9, %9, 0;"
        : "+r"(t[0]), "+r"(t[1]), "+r"(t[2]), "+r"(t[3]), "+r"(t[4]), "+r"(t[5]), "+r"(t[6]), "+r"(t[7]), "+r"(t[8]), "+r"(t[9])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b));
}

__device__ void product(u32 *x, const u32 *b)
{
    const u32 prime[8] = {0xfffffc2f, 0xfffffffe, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u};
    u32 t[10] = {}, less[8], borrow;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        add_product(t, x, b[i]);
        add_product(t, prime, t[0] * NEGATIVE32);
#pragma unroll
        for (int k = 0; k < 9; k++)
            t[k] = t[k + 1];
        t[9] = 0;
    }
    asm("sub.cc.u32 %0, %9, %17;\n\t"
        "subc.cc.u32 %1, %10, %18;\n\t"
        "subc.cc.u32 %2, %11, %19;\n\t"
        "subc.cc.u32 %3, %12, %19;\n\t"
        "subc.cc.u32 %4, %13, %19;\n\t"
        "subc.cc.u32 %5, %14, %19;\n\t"
        "subc.cc.u32 %6, %15, %19;\n\t"
        "subc.cc.u32 %7, %16, %19;\n\t"
        "subc.u32 %8, 0, 0;"
        : "=&r"(less[0]), "=&r"(less[1]), "=&r"(less[2]), "=&r"(less[3]), "=&r"(less[4]), "=&r"(less[5]), "=&r"(less[6]), "=&r"(less[7]),
          "=&r"(borrow)
        : "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]), "r"(prime[0]), "r"(prime[1]), "r"(~0u));
#pragma unroll
    for (int i = 0; i < 8; i++)
        x[i] = t[8] || !borrow ? less[i] : t[i];
}

// Words of 32 bits with the carry flag; so many products one after the other.
extern "C" __global__ void __launch_bounds__(128) mont_carries(uint4 *out, const uint4 *a, const uint4 *b, int products, int count)
{
    int n = blockIdx.x * 128 + threadIdx.x;
    if (n >= count)
        return;
    u32 x[8], y[8];
    *(uint4 *)x = a[n * 2];
    *(uint4 *)(x + 4) = a[n * 2 + 1];
    *(uint4 *)y = b[n * 2];
    *(uint4 *)(y + 4) = b[n * 2 + 1];
#pragma unroll 1
    for (int k = 0; k < products; k++)
        product(x, y);
    out[n * 2] = *(uint4 *)x;
    out[n * 2 + 1] = *(uint4 *)(x + 4);
}
