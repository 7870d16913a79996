// Physics and dense sums: ising_*, oscillators_*, rates_*, product_*, norms_*, apart_*, columns_*, triangle_*. Each pair's YAML says
// what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Ising's spins: the even ones of a chessboard, 16 sweeps of a row in place ------------------------------------- */

static __device__ __forceinline__ float settled(float v, float l, float r, int steps)
{
    for (int k = 0; k < steps; k++)
        v = v * 0.5f + 0.25f * (l + r) * v;
    return v;
}

extern "C" __global__ void ising_every(float *out, const float *in, int w, int steps)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    size_t row = (size_t)blockIdx.y * w;
    float v = in[row + x];
    if ((x + blockIdx.y) % 2 == 0)
        v = settled(v, in[row + max(x - 1, 0)], in[row + min(x + 1, w - 1)], steps);
    out[row + x] = v;
}

extern "C" __global__ void ising_halves(float *out, const float *in, int w, int steps)
{
    int pair = blockIdx.x * blockDim.x + threadIdx.x;
    size_t row = (size_t)blockIdx.y * w;
    int x = 2 * pair + blockIdx.y % 2, other = 2 * pair + (1 - blockIdx.y % 2);
    float v = in[row + x];
    out[row + x] = settled(v, in[row + max(x - 1, 0)], in[row + min(x + 1, w - 1)], steps);
    out[row + other] = in[row + other];
}

/* ---- Oscillators: eight steps in time, all by themselves --------------------------------------------------------------- */

extern "C" __global__ void oscillators_step(float2 *state, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 s = state[i];
    s.y -= dt * s.x;
    s.x += dt * s.y;
    state[i] = s;
}

extern "C" __global__ void oscillators_all(float2 *state, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 s = state[i];
    for (int k = 0; k < 8; k++) {
        s.y -= dt * s.x;
        s.x += dt * s.y;
    }
    state[i] = s;
}

/* ---- Reaction rates: Arrhenius' law for eight reactions ------------------------------------------------------------------ */

extern "C" __global__ void rates_exact(float *out, const float *temperature)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float t = temperature[i], sum = 0;
    for (int k = 1; k <= 8; k++)
        sum += powf(t, 0.125f * k) * expf(-k / t);
    out[i] = sum;
}

extern "C" __global__ void rates_fast(float *out, const float *temperature)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float t = temperature[i], sum = 0, l = __logf(t), inverse = __fdividef(1, t);
    for (int k = 1; k <= 8; k++)
        sum += __expf(0.125f * k * l - k * inverse);
    out[i] = sum;
}

/* ---- Matrix times vector, 1024 columns ---------------------------------------------------------------------------------------- */

enum { COLUMNS = 1024 };

extern "C" __global__ void product_thread(float *out, const float *a, const float *x)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < COLUMNS; k++)
        sum += a[(size_t)row * COLUMNS + k] * x[k];
    out[row] = sum;
}

static __device__ __forceinline__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

extern "C" __global__ void product_warp(float *out, const float *a, const float *x)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int k = lane; k < COLUMNS; k += 32)
        sum += a[(size_t)row * COLUMNS + k] * x[k];
    sum = warp_sum(sum);
    if (lane == 0)
        out[row] = sum;
}

/* ---- Squares of long vectors, sixteen of them ------------------------------------------------------------------------------------- */

static __device__ __forceinline__ float block_sum(float v)
{
    __shared__ float part[32];
    v = warp_sum(v);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    return warp_sum(threadIdx.x % 32 < blockDim.x / 32 ? part[threadIdx.x % 32] : 0);
}

extern "C" __global__ void norms_block(float *out, const float *in, int n)
{
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += in[(size_t)blockIdx.x * n + i] * in[(size_t)blockIdx.x * n + i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

extern "C" __global__ void norms_blocks(float *out, const float *in, int n)
{
    int part = n / gridDim.y;
    const float *from = in + (size_t)blockIdx.x * n + (size_t)blockIdx.y * part;
    float sum = 0;
    for (int i = threadIdx.x; i < part; i += blockDim.x)
        sum += from[i] * from[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        atomicAdd(&out[blockIdx.x], sum);
}

/* ---- Distances between all rows of two tables, 64 numbers each ------------------------------------------------------------------------ */

enum { WIDTH = 64, TILE = 16 };

extern "C" __global__ void apart_direct(float *out, const float *a, const float *b, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < WIDTH; k++)
        sum += fabsf(a[k * n + i] - b[k * n + j]);
    out[(size_t)i * n + j] = sum;
}

extern "C" __global__ void apart_tile(float *out, const float *a, const float *b, int n)
{
    __shared__ float ta[WIDTH][TILE], tb[WIDTH][TILE];
    int j = blockIdx.x * TILE + threadIdx.x, i = blockIdx.y * TILE + threadIdx.y;
    for (int k = threadIdx.y; k < WIDTH; k += TILE) {
        ta[k][threadIdx.x] = a[k * n + blockIdx.y * TILE + threadIdx.x];
        tb[k][threadIdx.x] = b[k * n + j];
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < WIDTH; k++)
        sum += fabsf(ta[k][threadIdx.y] - tb[k][threadIdx.x]);
    out[(size_t)i * n + j] = sum;
}

// A block of 16 x 16 threads makes 64 x 64 distances: four by four a thread, 16 apart.
extern "C" __global__ void apart_registers(float *out, const float *a, const float *b, int n)
{
    enum { EACH = 4, SIDE = EACH * TILE };
    __shared__ float ta[WIDTH / 2][SIDE], tb[WIDTH / 2][SIDE];
    int t = threadIdx.y * TILE + threadIdx.x;
    float sum[EACH][EACH] = {{0}};
    for (int half = 0; half < 2; half++) {
        for (int k = t / SIDE; k < WIDTH / 2; k += TILE * TILE / SIDE) {
            ta[k][t % SIDE] = a[(half * WIDTH / 2 + k) * n + blockIdx.y * SIDE + t % SIDE];
            tb[k][t % SIDE] = b[(half * WIDTH / 2 + k) * n + blockIdx.x * SIDE + t % SIDE];
        }
        __syncthreads();
        for (int k = 0; k < WIDTH / 2; k++)
            for (int i = 0; i < EACH; i++)
                for (int j = 0; j < EACH; j++)
                    sum[i][j] += fabsf(ta[k][i * TILE + threadIdx.y] - tb[k][j * TILE + threadIdx.x]);
        __syncthreads();
    }
    for (int i = 0; i < EACH; i++)
        for (int j = 0; j < EACH; j++)
            out[(size_t)(blockIdx.y * SIDE + i * TILE + threadIdx.y) * n + blockIdx.x * SIDE + j * TILE +
                threadIdx.x] = sum[i][j];
}

/* ---- Running sums along rows of 32 numbers, a row a lane, from shared memory ----------------------------------------------------------- */

template <int STRIDE>
static __device__ __forceinline__ void running(float *out, const float *in, int rounds)
{
    __shared__ float tile[8][32 * STRIDE];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    size_t first = (size_t)(blockIdx.x * 8 + warp) * 1024;
    float *own = tile[warp];
    for (int k = 0; k < 32; k++)
        own[k * STRIDE + lane] = in[first + k * 32 + lane];
    __syncwarp();
    for (int r = 0; r < rounds; r++) {
        float sum = 0;
        for (int k = 0; k < 32; k++) {
            sum = 0.5f * sum + own[lane * STRIDE + k];
            own[lane * STRIDE + k] = sum;
        }
    }
    __syncwarp();
    for (int k = 0; k < 32; k++)
        out[first + k * 32 + lane] = own[k * STRIDE + lane];
}

extern "C" __global__ void columns_banked(float *out, const float *in, int rounds)
{
    running<32>(out, in, rounds);
}

extern "C" __global__ void columns_padded(float *out, const float *in, int rounds)
{
    running<33>(out, in, rounds);
}

/* ---- Sums over the lower triangle of a matrix: row i has i + 1 numbers -------------------------------------------------------------------- */

static __device__ __forceinline__ float row_sum(const float *in, int row)
{
    float sum = 0;
    for (int k = threadIdx.x; k <= row; k += blockDim.x)
        sum += in[k] / (1 + k);
    return block_sum(sum);
}

// rows of a block: neighbours, so that the last blocks have the long ones.
extern "C" __global__ void triangle_bands(float *out, const float *in, int each)
{
    for (int k = 0; k < each; k++) {
        int row = blockIdx.x * each + k;
        float sum = row_sum(in, row);
        if (threadIdx.x == 0)
            out[row] = sum;
        __syncthreads();
    }
}

// … and as far apart as can be: each block has short and long ones.
extern "C" __global__ void triangle_ends(float *out, const float *in, int each)
{
    int rows = each * gridDim.x;
    for (int k = 0; k < each; k++) {
        int at = blockIdx.x + k / 2 * gridDim.x;
        int row = k % 2 == 0 ? at : rows - 1 - at;
        float sum = row_sum(in, row);
        if (threadIdx.x == 0)
            out[row] = sum;
        __syncthreads();
    }
}
