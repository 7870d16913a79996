// Keys, runs and records: digits_*, compact_*, topk_*, runs_*, crc_*, bitonic_*, haar_*, extent_*. Each pair's YAML says what
// differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- How often each of 16 digits, per block of 4096 keys ----------------------------------------------------- */

enum { KEYS = 16 };

extern "C" __global__ void digits_atomic(unsigned *counts, const unsigned *keys, int shift)
{
    __shared__ unsigned bins[16];
    if (threadIdx.x < 16)
        bins[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < KEYS; k++)
        atomicAdd(&bins[keys[(blockIdx.x * KEYS + k) * 256 + threadIdx.x] >> shift & 15], 1u);
    __syncthreads();
    if (threadIdx.x < 16)
        counts[blockIdx.x * 16 + threadIdx.x] = bins[threadIdx.x];
}

// Lane d counts, by ballots on the four bits, the warp's keys whose digit is d % 16.
extern "C" __global__ void digits_ballot(unsigned *counts, const unsigned *keys, int shift)
{
    __shared__ unsigned bins[8][16];
    int lane = threadIdx.x % 32;
    unsigned mine = 0;
    for (int k = 0; k < KEYS; k++) {
        unsigned digit = keys[(blockIdx.x * KEYS + k) * 256 + threadIdx.x] >> shift, same = ~0u;
        for (int b = 0; b < 4; b++) {
            unsigned set = __ballot_sync(0xffffffffu, (digit >> b & 1) != 0);
            same &= (lane >> b & 1) != 0 ? set : ~set;
        }
        mine += __popc(same);
    }
    if (lane < 16)
        bins[threadIdx.x / 32][lane] = mine;
    __syncthreads();
    if (threadIdx.x < 16) {
        unsigned sum = 0;
        for (int w = 0; w < 8; w++)
            sum += bins[w][threadIdx.x];
        counts[blockIdx.x * 16 + threadIdx.x] = sum;
    }
}

/* ---- The numbers above one half, in any order ---------------------------------------------------------------- */

extern "C" __global__ void compact_each(float *out, unsigned *count, const float *x)
{
    float v = x[blockIdx.x * blockDim.x + threadIdx.x];
    if (v > 0.5f)
        out[atomicAdd(count, 1u)] = v;
}

extern "C" __global__ void compact_warp(float *out, unsigned *count, const float *x)
{
    float v = x[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned lane = threadIdx.x % 32, kept = __ballot_sync(0xffffffffu, v > 0.5f), first = 0;
    if (lane == 0)
        first = atomicAdd(count, (unsigned)__popc(kept));
    first = __shfl_sync(0xffffffffu, first, 0);
    if (v > 0.5f)
        out[first + (unsigned)__popc(kept & ((1u << lane) - 1))] = v;
}

extern "C" __global__ void compact_block(float *out, unsigned *count, const float *x)
{
    __shared__ unsigned starts[9];
    float v = x[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32,
             kept = __ballot_sync(0xffffffffu, v > 0.5f);
    if (lane == 0)
        starts[warp] = (unsigned)__popc(kept);
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (int w = 0; w < 8; w++) {
            unsigned here = starts[w];
            starts[w] = sum;
            sum += here;
        }
        starts[8] = atomicAdd(count, sum);
    }
    __syncthreads();
    if (v > 0.5f)
        out[starts[8] + starts[warp] + (unsigned)__popc(kept & ((1u << lane) - 1))] = v;
}

/* ---- The 8 largest of each row of 1024, a warp per row ------------------------------------------------------- */

enum { TOP = 8, ROW = 1024 };
#define LEAST (-3.0e38f)

static __device__ __forceinline__ float warp_max(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
    return v;
}

extern "C" __global__ void topk_indexed(float *out, const float *x)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, head = 0;
    float best[TOP];
    for (int j = 0; j < TOP; j++)
        best[j] = LEAST;
    for (int c = lane; c < ROW; c += 32) {
        float v = x[row * ROW + c];
        int j = TOP;
        while (j > 0 && best[j - 1] < v) {
            if (j < TOP)
                best[j] = best[j - 1];
            j--;
        }
        if (j < TOP)
            best[j] = v;
    }
    for (int k = 0; k < TOP; k++) {
        float mine = head < TOP ? best[head] : LEAST, most = warp_max(mine);
        if (__ffs(__ballot_sync(0xffffffffu, mine == most)) - 1 == lane)
            head++;
        if (lane == 0)
            out[row * TOP + k] = most;
    }
}

extern "C" __global__ void topk_unrolled(float *out, const float *x)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float best[TOP];
#pragma unroll
    for (int j = 0; j < TOP; j++)
        best[j] = LEAST;
    for (int c = lane; c < ROW; c += 32) {
        float v = x[row * ROW + c];
#pragma unroll
        for (int j = 0; j < TOP; j++) {
            float lower = fminf(best[j], v);
            best[j] = fmaxf(best[j], v);
            v = lower;
        }
    }
    for (int k = 0; k < TOP; k++) {
        float most = warp_max(best[0]);
        if (__ffs(__ballot_sync(0xffffffffu, best[0] == most)) - 1 == lane) {
#pragma unroll
            for (int j = 0; j < TOP - 1; j++)
                best[j] = best[j + 1];
            best[TOP - 1] = LEAST;
        }
        if (lane == 0)
            out[row * TOP + k] = most;
    }
}

/* ---- Runs written out ---------------------------------------------------------------------------------------- */

extern "C" __global__ void runs_thread(float *out, const float *values, const int *starts)
{
    int run = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = starts[run]; i < starts[run + 1]; i++)
        out[i] = values[run];
}

extern "C" __global__ void runs_search(float *out, const float *values, const int *starts, int runs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, low = 0, high = runs;
    while (low < high) { // the first run that begins behind i
        int mid = (low + high + 1) / 2;
        if (starts[mid] <= i)
            low = mid;
        else
            high = mid - 1;
    }
    out[i] = values[low];
}

/* ---- CRC-32 of records of 64 bytes, a thread per record ------------------------------------------------------ */

#define POLYNOMIAL 0xedb88320u

static __device__ __forceinline__ unsigned eight_bits(unsigned crc)
{
#pragma unroll
    for (int b = 0; b < 8; b++)
        crc = crc >> 1 ^ (POLYNOMIAL & (0u - (crc & 1)));
    return crc;
}

extern "C" __global__ void crc_bytes(unsigned *out, const unsigned char *records)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned crc = ~0u;
    for (int b = 0; b < 64; b++)
        crc = eight_bits(crc ^ records[i * 64 + b]);
    out[i] = ~crc;
}

extern "C" __global__ void crc_vectors(unsigned *out, const uint4 *records)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned crc = ~0u;
    for (int q = 0; q < 4; q++) {
        uint4 four = records[i * 4 + q];
        unsigned words[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int b = 0; b < 16; b++)
            crc = eight_bits(crc ^ (words[b / 4] >> 8 * (b % 4) & 255));
    }
    out[i] = ~crc;
}

extern "C" __global__ void crc_table(unsigned *out, const uint4 *records)
{
    __shared__ unsigned table[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    table[threadIdx.x] = eight_bits(threadIdx.x);
    __syncthreads();
    unsigned crc = ~0u;
    for (int q = 0; q < 4; q++) {
        uint4 four = records[i * 4 + q];
        unsigned words[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int b = 0; b < 16; b++)
            crc = crc >> 8 ^ table[(crc ^ words[b / 4] >> 8 * (b % 4)) & 255];
    }
    out[i] = ~crc;
}

/* ---- Blocks of 1024 keys sorted by a bitonic network --------------------------------------------------------- */

extern "C" __global__ void bitonic_barriers(unsigned *out, const unsigned *in)
{
    __shared__ unsigned key[1024];
    int t = threadIdx.x, first = blockIdx.x * 1024;
    key[t] = in[first + t];
    key[t + 512] = in[first + t + 512];
    for (int k = 2; k <= 1024; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            __syncthreads();
            int low = 2 * t - (t & (j - 1)), high = low + j;
            unsigned a = key[low], b = key[high];
            if ((a > b) == ((low & k) == 0)) {
                key[low] = b;
                key[high] = a;
            }
        }
    __syncthreads();
    out[first + t] = key[t];
    out[first + t + 512] = key[t + 512];
}

extern "C" __global__ void bitonic_shuffles(unsigned *out, const unsigned *in)
{
    __shared__ unsigned key[1024];
    int t = threadIdx.x, first = blockIdx.x * 1024;
    unsigned mine = in[first + t];
    for (int k = 2; k <= 1024; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            unsigned other;
            if (j >= 32) {
                __syncthreads();
                key[t] = mine;
                __syncthreads();
                other = key[t ^ j];
            } else {
                other = __shfl_xor_sync(0xffffffffu, mine, j);
            }
            mine = ((t & j) == 0) == ((t & k) == 0) ? min(mine, other) : max(mine, other);
        }
    out[first + t] = mine;
}

/* ---- Haar transforms of 1024 numbers ------------------------------------------------------------------------- */

#define HALF 0.70710678f

extern "C" __global__ void haar_in_place(float *out, const float *in)
{
    __shared__ float v[1024];
    int t = threadIdx.x, first = blockIdx.x * 1024;
    v[t] = in[first + t];
    v[t + 512] = in[first + t + 512];
    __syncthreads();
    for (int pairs = 512, apart = 1; pairs > 0; pairs /= 2, apart *= 2) {
        if (t < pairs) {
            float a = v[2 * apart * t], b = v[2 * apart * t + apart];
            v[2 * apart * t] = HALF * (a + b);
            out[first + pairs + t] = HALF * (a - b);
        }
        __syncthreads();
    }
    if (t == 0)
        out[first] = v[0];
}

extern "C" __global__ void haar_packed(float *out, const float *in)
{
    __shared__ float v[2][1024];
    int t = threadIdx.x, first = blockIdx.x * 1024, from = 0;
    v[0][t] = in[first + t];
    v[0][t + 512] = in[first + t + 512];
    __syncthreads();
    for (int pairs = 512; pairs > 0; pairs /= 2, from ^= 1) {
        if (t < pairs) {
            float2 two = reinterpret_cast<const float2 *>(v[from])[t];
            v[from ^ 1][t] = HALF * (two.x + two.y);
            out[first + pairs + t] = HALF * (two.x - two.y);
        }
        __syncthreads();
    }
    if (t == 0)
        out[first] = v[from][0];
}

/* ---- The least and the largest per block: two blocks an SM that stay ----------------------------------------- */

static __device__ __forceinline__ void extent_end(float *out, float least, float most)
{
    __shared__ float ends[2][8];
    least = -warp_max(-least);
    most = warp_max(most);
    if (threadIdx.x % 32 == 0) {
        ends[0][threadIdx.x / 32] = least;
        ends[1][threadIdx.x / 32] = most;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++) {
            least = fminf(least, ends[0][w]);
            most = fmaxf(most, ends[1][w]);
        }
        out[2 * blockIdx.x] = least;
        out[2 * blockIdx.x + 1] = most;
    }
}

#define EXTENT(UNROLL)                                               \
    float least = 3.0e38f, most = LEAST;                             \
    const float *mine = x + blockIdx.x * rounds * 256 + threadIdx.x; \
    _Pragma(UNROLL) for (int r = 0; r < rounds; r++)                 \
    {                                                                \
        float v = mine[r * 256];                                     \
        least = fminf(least, v);                                     \
        most = fmaxf(most, v);                                       \
    }                                                                \
    extent_end(out, least, most)

extern "C" __global__ void extent_one(float *out, const float *x, int rounds)
{
    EXTENT("unroll 1");
}

extern "C" __global__ void extent_eight(float *out, const float *x, int rounds)
{
    EXTENT("unroll 8");
}
