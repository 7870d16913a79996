// base^exponent modulo one of four primes near 2^64, exponents of 32 bits. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned long long word;

__constant__ word primes[4] = {0xffffffffffffffc5, 0xffffffffffffffad, 0xffffffffffffffa1, 0xffffffffffffff4d};

__device__ word add(word a, word b, word m)
{
    word sum = a + b;
    return sum < a || sum >= m ? sum - m : sum;
}

__device__ word times_double(word a, word b, word m)
{
    word sum = 0;
    for (; b > 0; b >>= 1) {
        if (b & 1)
            sum = add(sum, a, m);
        a = add(a, a, m);
    }
    return sum;
}

extern "C" __global__ void modpow_double(word *out, const word *base, const unsigned *exponent, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    word m = primes[i % 4], a = base[i] % m, power = 1;
    for (unsigned e = exponent[i]; e > 0; e >>= 1) {
        if (e & 1)
            power = times_double(power, a, m);
        a = times_double(a, a, m);
    }
    out[i] = power;
}

extern "C" __global__ void modpow_wide(word *out, const word *base, const unsigned *exponent, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    word m = primes[i % 4], a = base[i] % m, power = 1;
    for (unsigned e = exponent[i]; e > 0; e >>= 1) {
        if (e & 1)
            power = (unsigned __int128)power * a % m;
        a = (unsigned __int128)a * a % m;
    }
    out[i] = power;
}

// a b / 2^64 modulo m; inverse: of -m modulo 2^64.
__device__ word montgomery(word a, word b, word m, word inverse)
{
    word low = a * b, high = __umul64hi(a, b), q = low * inverse;
    word carry = low != 0, sum = high + __umul64hi(q, m);
    bool over = sum < high;
    sum += carry;
    over |= sum < carry;
    return over || sum >= m ? sum - m : sum;
}

extern "C" __global__ void modpow_montgomery(word *__restrict__ out, const word *__restrict__ base,
                                             const unsigned *__restrict__ exponent, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    word m = primes[i % 4], inverse = m;
    for (int step = 0; step < 5; step++)
        inverse *= 2 - m * inverse;
    inverse = 0 - inverse;
    // 2^64 and 2^128 modulo m: m is 2^64 less a small number.
    word one = 0 - m, square = one * one;
    word a = montgomery(base[i], square, m, inverse), power = one;
    for (unsigned e = exponent[i]; e > 0; e >>= 1) {
        if (e & 1)
            power = montgomery(power, a, m, inverse);
        a = montgomery(a, a, m, inverse);
    }
    out[i] = montgomery(power, 1, m, inverse);
}
