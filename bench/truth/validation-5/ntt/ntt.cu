// A number-theoretic transform of rows of 1024 modulo 998244353, in place after the first step; results lie with their numbers' bits
// reversed. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#define MODULUS 998244353u
#define ROOT 258648936u    // to the power of 1024 it is 1
#define NEGATIVE 998244351u // -1 / MODULUS modulo 2^32
#define TWO32 301989884u   // 2^32 modulo MODULUS
typedef unsigned long long wide;

__device__ unsigned product(unsigned a, unsigned b)
{
    return (wide)a * b % MODULUS;
}

// The roots' powers, times 2^32 for Montgomery's products.
extern "C" __global__ void ntt_roots(unsigned *roots, int montgomery)
{
    unsigned result = montgomery ? TWO32 : 1, base = ROOT;
    for (int e = threadIdx.x; e; e >>= 1) {
        if (e & 1)
            result = product(result, base);
        base = product(base, base);
    }
    roots[threadIdx.x] = result;
}

// One step of all rows, a thread a pair `half` apart.
extern "C" __global__ void ntt_step(unsigned *out, const unsigned *in, const unsigned *roots, int half)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / 512, k = i % 512;
    int j = k % half, at = row * 1024 + k / half * 2 * half + j;
    unsigned a = in[at], b = in[at + half];
    out[at] = (a + b) % MODULUS;
    out[at + half] = product(a + MODULUS - b, roots[j * (512 / half)]);
}

// A block a row in shared memory.
extern "C" __global__ void ntt_shared(unsigned *out, const unsigned *in, const unsigned *roots)
{
    __shared__ unsigned s[1024];
    int t = threadIdx.x, base = blockIdx.x * 1024;
    s[t] = in[base + t];
    s[t + 512] = in[base + t + 512];
    for (int half = 512; half > 0; half /= 2) {
        __syncthreads();
        int j = t % half, at = t / half * 2 * half + j;
        unsigned a = s[at], b = s[at + half];
        s[at] = (a + b) % MODULUS;
        s[at + half] = product(a + MODULUS - b, roots[j * (512 / half)]);
    }
    __syncthreads();
    out[base + t] = s[t];
    out[base + t + 512] = s[t + 512];
}

__device__ unsigned montgomery(unsigned a, unsigned b)
{
    wide v = (wide)a * b;
    unsigned r = (v + (wide)((unsigned)v * NEGATIVE) * MODULUS) >> 32;
    return r >= MODULUS ? r - MODULUS : r;
}

__device__ void pair(unsigned &a, unsigned &b, unsigned root)
{
    unsigned sum = a + b, rest = a + MODULUS - b;
    a = sum >= MODULUS ? sum - MODULUS : sum;
    b = montgomery(rest, root);
}

// Four numbers a thread: two steps in registers between visits to shared memory, roots in shared memory too.
extern "C" __global__ void __launch_bounds__(256) ntt_montgomery(unsigned *__restrict__ out, const unsigned *__restrict__ in,
                                                                const unsigned *__restrict__ roots)
{
    __shared__ unsigned s[1024], w[512];
    int t = threadIdx.x, base = blockIdx.x * 1024;
    w[t] = roots[t];
    w[t + 256] = roots[t + 256];
    unsigned v[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        v[i] = in[base + t + 256 * i];
#pragma unroll
    for (int quarter = 256; quarter > 0; quarter /= 4) {
        int j = t % quarter, at = t / quarter * 4 * quarter + j, apart = 256 / quarter;
        __syncthreads();
        if (quarter < 256) {
#pragma unroll
            for (int i = 0; i < 4; i++)
                v[i] = s[at + i * quarter];
        }
        pair(v[0], v[2], w[j * apart]);
        pair(v[1], v[3], w[(j + quarter) * apart]);
        pair(v[0], v[1], w[2 * j * apart]);
        pair(v[2], v[3], w[2 * j * apart]);
        if (quarter > 1) {
#pragma unroll
            for (int i = 0; i < 4; i++)
                s[at + i * quarter] = v[i];
        }
    }
    ((uint4 *)(out + base))[t] = make_uint4(v[0], v[1], v[2], v[3]);
}
