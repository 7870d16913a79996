// Sorts, strings and codes: shellrow_*, bytecode_*, rotbytes_*, lcgjump_*, digit16_*, speckkeys_*. Each pair's YAML says what
// differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Columns of 16 numbers, sorted ------------------------------------------------------------------------------------- */

extern "C" __global__ void shellrow_shell(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v[16];
    if (i >= n)
        return;
    for (int k = 0; k < 16; ++k)
        v[k] = in[k * n + i];
    for (int gap = 7; gap > 0; gap = gap == 7 ? 3 : gap / 2)
        for (int k = gap; k < 16; ++k) {
            int own = v[k], at = k;
            for (; at >= gap && v[at - gap] > own; at -= gap)
                v[at] = v[at - gap];
            v[at] = own;
        }
    for (int k = 0; k < 16; ++k)
        out[k * n + i] = v[k];
}

template <int SIZE, int STRIDE> static __device__ __forceinline__ void exchange(int v[16])
{
#pragma unroll
    for (int k = 0; k < 16; ++k)
        if (!(k & STRIDE)) {
            int a = v[k], b = v[k + STRIDE];
            bool falls = k & SIZE;
            v[k] = falls ? max(a, b) : min(a, b);
            v[k + STRIDE] = falls ? min(a, b) : max(a, b);
        }
}

// A bitonic network, all places known at compile time.
extern "C" __global__ void shellrow_network(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v[16];
    if (i >= n)
        return;
#pragma unroll
    for (int k = 0; k < 16; ++k)
        v[k] = in[k * n + i];
    exchange<2, 1>(v);
    exchange<4, 2>(v);
    exchange<4, 1>(v);
    exchange<8, 4>(v);
    exchange<8, 2>(v);
    exchange<8, 1>(v);
    exchange<16, 8>(v);
    exchange<16, 4>(v);
    exchange<16, 2>(v);
    exchange<16, 1>(v);
#pragma unroll
    for (int k = 0; k < 16; ++k)
        out[k * n + i] = v[k];
}

/* ---- 32 programs of 48 steps, each for every 32nd item --------------------------------------------------------------------- */

static __device__ __forceinline__ unsigned executed(const unsigned char *program, unsigned v)
{
#pragma unroll 1
    for (int k = 0; k < 48; ++k)
        switch (program[k]) {
        case 0:
            v = v * 1664525u + 1013904223u;
            break;
        case 1:
            v ^= v << 13;
            v ^= v >> 17;
            break;
        case 2:
            v = __popc(v) * 2654435761u ^ v;
            break;
        case 3:
            v = __brev(v) + 12345u;
            break;
        case 4:
            v = __umulhi(v, 3735928559u) + v;
            break;
        default:
            v = (v << 7 | v >> 25) ^ 0x5bd1e995u;
        }
    return v;
}

extern "C" __global__ void bytecode_items(const unsigned char *program, const unsigned *in, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = executed(program + 48 * (i % 32), in[i]);
}

// A warp takes 32 items of one program; n is a multiple of 1024.
extern "C" __global__ void bytecode_programs(const unsigned char *program, const unsigned *in, unsigned *out)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, i = warp / 32 * 1024 + threadIdx.x % 32 * 32 + warp % 32;
    out[i] = executed(program + 48 * (warp % 32), in[i]);
}

/* ---- Bytes and a key of 64 bytes, combined ---------------------------------------------------------------------------------------- */

extern "C" __global__ void rotbytes_one(const unsigned char *in, const unsigned char *key, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] ^ key[i % 64];
}

extern "C" __global__ void rotbytes_sixteen(const uint4 *in, const uint4 *key, uint4 *out, int vectors)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= vectors)
        return;
    uint4 v = in[i], k = key[i % 4];
    out[i] = make_uint4(v.x ^ k.x, v.y ^ k.y, v.z ^ k.z, v.w ^ k.w);
}

/* ---- 4096 numbers of a congruential generator from each seed, combined --------------------------------------------------------------- */

constexpr unsigned long long FACTOR = 6364136223846793005ull, ADDEND = 1442695040888963407ull;

extern "C" __global__ void lcgjump_one(const unsigned *seed, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long s = seed[i];
    unsigned sum = 0;
#pragma unroll 4
    for (int k = 0; k < 4096; ++k) {
        s = s * FACTOR + ADDEND;
        sum ^= (unsigned)(s >> 32);
    }
    out[i] = sum;
}

extern "C" __global__ void lcgjump_four(const unsigned *seed, unsigned *out)
{
    constexpr unsigned long long TWICE = FACTOR * FACTOR, TWICE_ADDEND = FACTOR * ADDEND + ADDEND;
    constexpr unsigned long long FAR = TWICE * TWICE, FAR_ADDEND = TWICE * TWICE_ADDEND + TWICE_ADDEND;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long s[4];
    unsigned sum[4] = {};
    s[0] = seed[i] * FACTOR + ADDEND;
#pragma unroll
    for (int j = 1; j < 4; ++j)
        s[j] = s[j - 1] * FACTOR + ADDEND;
    for (int k = 0; k < 1024; ++k)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            sum[j] ^= (unsigned)(s[j] >> 32);
            s[j] = s[j] * FAR + FAR_ADDEND;
        }
    out[i] = sum[0] ^ sum[1] ^ sum[2] ^ sum[3];
}

/* ---- How many keys of each block have each of 16 digits ------------------------------------------------------------------------------- */

// A block has 4096 keys, and writes 16 counts.
extern "C" __global__ void digit16_block(const unsigned char *key, int *count)
{
    __shared__ int own[16];
    if (threadIdx.x < 16)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += 256)
        atomicAdd(&own[key[blockIdx.x * 4096 + i]], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        count[blockIdx.x * 16 + threadIdx.x] = own[threadIdx.x];
}

// Sixteen keys a thread, counted in four bits each of a word and summed in bytes by the warp.
extern "C" __global__ void digit16_packed(const unsigned char *key, int *count)
{
    __shared__ int own[8][16];
    unsigned long long counts = 0, last = 0;
#pragma unroll
    for (int k = 0; k < 15; ++k)
        counts += 1ull << 4 * key[blockIdx.x * 4096 + 256 * k + threadIdx.x];
    last = 1ull << 4 * key[blockIdx.x * 4096 + 3840 + threadIdx.x];
#pragma unroll
    for (int d = 0; d < 16; ++d) {
        int v = (int)(counts >> 4 * d & 15) + (int)(last >> 4 * d & 15);
        v = __reduce_add_sync(0xffffffff, v);
        if (threadIdx.x % 32 == 0)
            own[threadIdx.x / 32][d] = v;
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        int sum = 0;
#pragma unroll
        for (int w = 0; w < 8; ++w)
            sum += own[w][threadIdx.x];
        count[blockIdx.x * 16 + threadIdx.x] = sum;
    }
}

/* ---- Speck with blocks of 64 bits and a key of 128 -------------------------------------------------------------------------------------- */

static __device__ __forceinline__ void speck_round(unsigned &x, unsigned &y, unsigned key)
{
    x = (__funnelshift_r(x, x, 8) + y) ^ key;
    y = __funnelshift_l(y, y, 3) ^ x;
}

extern "C" __global__ void speckkeys_each(const uint2 *in, const unsigned *key, uint2 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint2 v = in[i];
    unsigned round_key = key[0], next[3] = {key[1], key[2], key[3]};
#pragma unroll
    for (int r = 0; r < 27; ++r) {
        speck_round(v.y, v.x, round_key);
        speck_round(next[r % 3], round_key, r);
    }
    out[i] = v;
}

extern "C" __global__ void speckkeys_once(const uint2 *in, const unsigned *key, uint2 *out, int n)
{
    __shared__ unsigned keys[27];
    if (threadIdx.x == 0) {
        unsigned round_key = key[0], next[3] = {key[1], key[2], key[3]};
#pragma unroll
        for (int r = 0; r < 27; ++r) {
            keys[r] = round_key;
            speck_round(next[r % 3], round_key, r);
        }
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint2 v = in[i];
#pragma unroll
        for (int r = 0; r < 27; ++r)
            speck_round(v.y, v.x, keys[r]);
        out[i] = v;
    }
}
