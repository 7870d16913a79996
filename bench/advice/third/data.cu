// Data: votes_*, tally_*, minimum_*, bases_*, peaks_*, mixer_*, links_*, plain_*, shifted_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Votes for 64 cells ------------------------------------------------------------------------------------------------ */

enum { CELLS = 64 };

static __device__ __forceinline__ unsigned cell_of(unsigned v)
{
    return (v * 2654435761u) >> 26;
}

extern "C" __global__ void votes_global(unsigned *cells, const unsigned *in)
{
    atomicAdd(&cells[cell_of(in[blockIdx.x * blockDim.x + threadIdx.x])], 1u);
}

extern "C" __global__ void votes_shared(unsigned *cells, const unsigned *in, int rounds)
{
    __shared__ unsigned own[CELLS];
    if (threadIdx.x < CELLS)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int r = 0; r < rounds; r++)
        atomicAdd(&own[cell_of(in[(blockIdx.x * rounds + r) * blockDim.x + threadIdx.x])], 1u);
    __syncthreads();
    if (threadIdx.x < CELLS)
        atomicAdd(&cells[threadIdx.x], own[threadIdx.x]);
}

/* ---- How many numbers of each block are above a limit ----------------------------------------------------------------------- */

extern "C" __global__ void tally_each(unsigned *out, const float *in, float limit, int rounds)
{
    __shared__ unsigned count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    for (int r = 0; r < rounds; r++)
        if (in[(blockIdx.x * rounds + r) * blockDim.x + threadIdx.x] > limit)
            atomicAdd(&count, threadIdx.x % 7 + 1);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = count;
}

extern "C" __global__ void tally_lanes(unsigned *out, const float *in, float limit, int rounds)
{
    __shared__ unsigned count;
    unsigned own = 0;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    for (int r = 0; r < rounds; r++)
        if (in[(blockIdx.x * rounds + r) * blockDim.x + threadIdx.x] > limit)
            own += threadIdx.x % 7 + 1;
    for (int d = 16; d > 0; d /= 2)
        own += __shfl_xor_sync(0xffffffff, own, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&count, own);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = count;
}

/* ---- The least of each group of 256 ------------------------------------------------------------------------------------------- */

extern "C" __global__ void minimum_tree(float *out, const float *in)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            part[t] = fminf(part[t], part[t + d]);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

extern "C" __global__ void minimum_shuffle(float *out, const float *in)
{
    __shared__ float part[8];
    int t = threadIdx.x;
    float v = in[blockIdx.x * 256 + t];
    for (int d = 16; d > 0; d /= 2)
        v = fminf(v, __shfl_xor_sync(0xffffffff, v, d));
    if (t % 32 == 0)
        part[t / 32] = v;
    __syncthreads();
    if (t >= 32)
        return;
    v = part[t % 8];
    for (int d = 4; d > 0; d /= 2)
        v = fminf(v, __shfl_xor_sync(0xffffffff, v, d));
    if (t == 0)
        out[blockIdx.x] = v;
}

/* ---- Complements of bases: A, C, G, T are 0 to 3, a byte each ------------------------------------------------------------------- */

extern "C" __global__ void bases_bytes(unsigned char *out, const unsigned char *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 3 - in[i];
}

extern "C" __global__ void bases_vectors(uint4 *out, const uint4 *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 v = in[i];
    v.x = 0x03030303u - v.x;
    v.y = 0x03030303u - v.y;
    v.z = 0x03030303u - v.z;
    v.w = 0x03030303u - v.w;
    out[i] = v;
}

/* ---- Rows of 8192 numbers over their largest ------------------------------------------------------------------------------------------ */

enum { ROW = 8192, PEAKS_BLOCK = 512, PEAKS_EACH = ROW / PEAKS_BLOCK };

static __device__ float block_max(float v)
{
    __shared__ float part[PEAKS_BLOCK / 32];
    for (int d = 16; d > 0; d /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, d));
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[threadIdx.x % (PEAKS_BLOCK / 32)];
    for (int d = PEAKS_BLOCK / 64; d > 0; d /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, d));
    return v;
}

extern "C" __global__ void peaks_twice(float *out, const float *in)
{
    size_t row = (size_t)blockIdx.x * ROW;
    float most = 0;
    for (int k = threadIdx.x; k < ROW; k += PEAKS_BLOCK)
        most = fmaxf(most, in[row + k]);
    most = 1 / block_max(most);
    for (int k = threadIdx.x; k < ROW; k += PEAKS_BLOCK)
        out[row + k] = in[row + k] * most;
}

extern "C" __global__ void peaks_kept(float *out, const float *in)
{
    size_t row = (size_t)blockIdx.x * ROW + threadIdx.x;
    float most = 0, v[PEAKS_EACH];
#pragma unroll
    for (int k = 0; k < PEAKS_EACH; k++)
        v[k] = in[row + k * PEAKS_BLOCK];
#pragma unroll
    for (int k = 0; k < PEAKS_EACH; k++)
        most = fmaxf(most, v[k]);
    most = 1 / block_max(most);
#pragma unroll
    for (int k = 0; k < PEAKS_EACH; k++)
        out[row + k * PEAKS_BLOCK] = v[k] * most;
}

/* ---- Numbers mixed through shared memory whose size the host chooses: 128 threads, a number each ----------------------------------------- */

extern "C" __global__ void mixer(float *out, const float *in, const int *from)
{
    extern __shared__ float own[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    own[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = own[from[i]] + own[blockDim.x - 1 - threadIdx.x];
}

/* ---- Links: each number leads to the next, eight times; from one start a thread, or from four ---------------------------------------------- */

extern "C" __global__ void links_one(int *out, const int *next, int rounds)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * rounds;
    for (int r = 0; r < rounds; r++) {
        int at = first + r;
        for (int k = 0; k < 8; k++)
            at = next[at];
        out[first + r] = at;
    }
}

extern "C" __global__ void links_four(int *out, const int *next, int rounds)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * rounds;
    for (int r = 0; r < rounds; r += 4) {
        int at[4];
#pragma unroll
        for (int j = 0; j < 4; j++)
            at[j] = first + r + j;
        for (int k = 0; k < 8; k++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                at[j] = next[at[j]];
#pragma unroll
        for (int j = 0; j < 4; j++)
            out[first + r + j] = at[j];
    }
}

/* ---- In vain: a stream that device memory bounds, and shared memory without conflicts -------------------------------------------------------- */

extern "C" __global__ void plain_one(float4 *out, const float4 *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    out[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}

extern "C" __global__ void plain_two(float4 *out, const float4 *in)
{
    int i = 2 * blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i], w = in[i + blockDim.x];
    out[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
    out[i + blockDim.x] = make_float4(2 * w.x, 2 * w.y, 2 * w.z, 2 * w.w);
}

template <int STRIDE>
static __device__ __forceinline__ void shifted(float *out, const float *in)
{
    __shared__ float tile[8 * STRIDE];
    int row = threadIdx.x / 32, lane = threadIdx.x % 32;
    size_t first = (size_t)blockIdx.x * 256;
    tile[row * STRIDE + lane] = in[first + threadIdx.x];
    __syncthreads();
    out[first + threadIdx.x] = tile[(row + 1) % 8 * STRIDE + lane];
}

extern "C" __global__ void shifted_rows(float *out, const float *in)
{
    shifted<32>(out, in);
}

extern "C" __global__ void shifted_padded(float *out, const float *in)
{
    shifted<33>(out, in);
}
