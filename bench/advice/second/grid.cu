// Cells and particles: life_*, lbm_*, deposit_*, heat_*, thomas_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Game of Life on a torus, 32 cells a word ---------------------------------------------------------------- */

static __device__ __forceinline__ unsigned cell(const unsigned *in, int words, int x, int y)
{
    return in[y * words + x / 32] >> x % 32 & 1;
}

extern "C" __global__ void life_cells(unsigned *out, const unsigned *in, int words, int h)
{
    int w = 32 * words, x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
    int west = (x - 1) & (w - 1), east = (x + 1) & (w - 1), north = y == 0 ? h - 1 : y - 1;
    int south = y == h - 1 ? 0 : y + 1;
    unsigned around = cell(in, words, west, north) + cell(in, words, x, north) +
                      cell(in, words, east, north) + cell(in, words, west, y) +
                      cell(in, words, east, y) + cell(in, words, west, south) +
                      cell(in, words, x, south) + cell(in, words, east, south);
    bool lives = around == 3 || (around == 2 && cell(in, words, x, y) != 0);
    unsigned word = __ballot_sync(0xffffffffu, lives);
    if (threadIdx.x % 32 == 0)
        out[y * words + x / 32] = word;
}

// Sum of three bits in each place: ones, and twos.
static __device__ __forceinline__ unsigned three(unsigned a, unsigned b, unsigned c, unsigned *twos)
{
    *twos = (a & b) | (c & (a ^ b));
    return a ^ b ^ c;
}

extern "C" __global__ void life_words(unsigned *out, const unsigned *in, int words, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    int west = (x - 1) & (words - 1), east = (x + 1) & (words - 1);
    int rows[3] = {y == 0 ? h - 1 : y - 1, y, y == h - 1 ? 0 : y + 1};
    unsigned ones[3], twos[4], here = 0;
    for (int r = 0; r < 3; r++) {
        const unsigned *row = in + rows[r] * words;
        unsigned mid = row[x], left = __funnelshift_l(row[west], mid, 1);
        unsigned right = __funnelshift_r(mid, row[east], 1);
        ones[r] = three(left, r == 1 ? 0 : mid, right, &twos[r]);
        if (r == 1)
            here = mid;
    }
    unsigned odd = three(ones[0], ones[1], ones[2], &twos[3]);
    unsigned one_two = twos[0] ^ twos[1] ^ twos[2] ^ twos[3];
    out[y * words + x] = one_two & ~((twos[0] & twos[1]) | (twos[2] & twos[3])) & (odd | here);
}

/* ---- Lattice Boltzmann, 9 velocities, periodic --------------------------------------------------------------- */

#define STEPS \
    const int step_x[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, step_y[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1}

static __device__ __forceinline__ void pull(float v[9], const float *f, int x, int y, int w, int h)
{
    STEPS;
#pragma unroll
    for (int q = 0; q < 9; q++)
        v[q] = f[(q * h + ((y - step_y[q]) & (h - 1))) * w + ((x - step_x[q]) & (w - 1))];
}

static __device__ __forceinline__ void collide(float v[9], float rate)
{
    STEPS;
    float rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int q = 0; q < 9; q++) {
        rho += v[q];
        ux += (float)step_x[q] * v[q];
        uy += (float)step_y[q] * v[q];
    }
    float per_rho = 1.0f / rho;
    ux *= per_rho;
    uy *= per_rho;
#pragma unroll
    for (int q = 0; q < 9; q++) {
        float weight = q == 0 ? 4.0f / 9 : q < 5 ? 1.0f / 9 : 1.0f / 36;
        float along = (float)step_x[q] * ux + (float)step_y[q] * uy;
        float rest =
            weight * rho * (1 + 3 * along + 4.5f * along * along - 1.5f * (ux * ux + uy * uy));
        v[q] += rate * (rest - v[q]);
    }
}

extern "C" __global__ void lbm_stream(float *out, const float *f, int w, int h)
{
    int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
    float v[9];
    pull(v, f, x, y, w, h);
    for (int q = 0; q < 9; q++)
        out[(q * h + y) * w + x] = v[q];
}

extern "C" __global__ void lbm_collide(float *out, const float *f, int cells, float rate)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[9];
    for (int q = 0; q < 9; q++)
        v[q] = f[q * cells + i];
    collide(v, rate);
    for (int q = 0; q < 9; q++)
        out[q * cells + i] = v[q];
}

extern "C" __global__ void lbm_fused(float *out, const float *f, int w, int h, float rate)
{
    int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
    float v[9];
    pull(v, f, x, y, w, h);
    collide(v, rate);
    for (int q = 0; q < 9; q++)
        out[(q * h + y) * w + x] = v[q];
}

/* ---- Charge of sorted particles, shared out between two cells ------------------------------------------------ */

extern "C" __global__ void deposit_each(float *charge, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, c = (int)x[i];
    float right = x[i] - (float)c;
    atomicAdd(&charge[c], 1 - right);
    atomicAdd(&charge[c + 1], right);
}

// Eight neighbours a thread; ADD(cell, left, right) where the cell changes.
#define RUNS(ADD)                                            \
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 2,     \
        at = (int)reinterpret_cast<const float *>(x)[4 * i]; \
    float left = 0, right = 0;                               \
    for (int k = 0; k < 2; k++) {                            \
        float4 four = x[i + k];                              \
        float each[4] = {four.x, four.y, four.z, four.w};    \
        for (int e = 0; e < 4; e++) {                        \
            int c = (int)each[e];                            \
            if (c != at) {                                   \
                ADD(at, left, right);                        \
                at = c;                                      \
                left = right = 0;                            \
            }                                                \
            left += 1 - (each[e] - (float)c);                \
            right += each[e] - (float)c;                     \
        }                                                    \
    }                                                        \
    ADD(at, left, right)

static __device__ __forceinline__ void add_two(float *charge, int c, float left, float right)
{
    atomicAdd(&charge[c], left);
    atomicAdd(&charge[c + 1], right);
}

extern "C" __global__ void deposit_runs(float *charge, const float4 *x)
{
#define TO_MEMORY(c, l, r) add_two(charge, c, l, r)
    RUNS(TO_MEMORY);
}

enum { WINDOW = 64 };

extern "C" __global__ void deposit_window(float *charge, const float4 *x)
{
    __shared__ float window[WINDOW + 1];
    int first = (int)x[blockIdx.x * blockDim.x * 2].x;
    for (int t = threadIdx.x; t <= WINDOW; t += blockDim.x)
        window[t] = 0;
    __syncthreads();
#define TO_WINDOW(c, l, r) \
    ((c)-first < WINDOW ? add_two(window, (c)-first, l, r) : add_two(charge, c, l, r))
    RUNS(TO_WINDOW);
    __syncthreads();
    for (int t = threadIdx.x; t <= WINDOW; t += blockDim.x)
        if (window[t] != 0)
            atomicAdd(&charge[first + t], window[t]);
}

/* ---- Heat: 16 steps on a small plate whose border stays ------------------------------------------------------ */

extern "C" __global__ void heat_step(float *out, const float *in, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, i = y * n + x;
    float v = in[i];
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        v += 0.2f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] - 4 * v);
    out[i] = v;
}

extern "C" __global__ void heat_four(float *out, const float *in, int n)
{
    enum { HALO = 4, SIDE = 32 + 2 * HALO };
    __shared__ float tiles[2][SIDE][SIDE];
    int x0 = blockIdx.x * 32 - HALO, y0 = blockIdx.y * 32 - HALO;
    for (int t = threadIdx.x; t < SIDE * SIDE; t += 256) {
        int x = min(max(x0 + t % SIDE, 0), n - 1), y = min(max(y0 + t / SIDE, 0), n - 1);
        tiles[0][t / SIDE][t % SIDE] = in[y * n + x];
    }
    __syncthreads();
    for (int s = 1; s <= HALO; s++) {
        const float(*from)[SIDE] = tiles[(s + 1) % 2];
        for (int t = threadIdx.x; t < SIDE * SIDE; t += 256) {
            int i = t % SIDE, j = t / SIDE, x = x0 + i, y = y0 + j;
            float v = from[j][i];
            if (i >= s && j >= s && i < SIDE - s && j < SIDE - s && x > 0 && y > 0 && x < n - 1 &&
                y < n - 1)
                v += 0.2f *
                     (from[j][i - 1] + from[j][i + 1] + from[j - 1][i] + from[j + 1][i] - 4 * v);
            tiles[s % 2][j][i] = v;
        }
        __syncthreads();
    }
    for (int t = threadIdx.x; t < 32 * 32; t += 256)
        out[(blockIdx.y * 32 + t / 32) * n + blockIdx.x * 32 + t % 32] =
            tiles[0][HALO + t / 32][HALO + t % 32];
}

/* ---- Tridiagonal systems of 256 unknowns --------------------------------------------------------------------- */

enum { UNKNOWNS = 256 };

extern "C" __global__ void thomas_serial(float *x, float *up, const float *a, const float *b,
                                         const float *c, const float *d)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * UNKNOWNS;
    float before = 0, right = 0;
    for (int i = first; i < first + UNKNOWNS; i++) {
        float per = 1 / (b[i] - a[i] * before);
        before = c[i] * per;
        right = (d[i] - a[i] * right) * per;
        up[i] = before;
        x[i] = right;
    }
    for (int i = first + UNKNOWNS - 2; i >= first; i--)
        x[i] -= up[i] * x[i + 1];
}

extern "C" __global__ void thomas_reduction(float *x, const float *a, const float *b,
                                            const float *c, const float *d)
{
    __shared__ float sa[UNKNOWNS], sb[UNKNOWNS], sc[UNKNOWNS], sd[UNKNOWNS];
    int t = threadIdx.x, i = blockIdx.x * UNKNOWNS + t;
    float va = t > 0 ? a[i] : 0, vb = b[i], vc = t < UNKNOWNS - 1 ? c[i] : 0, vd = d[i];
    for (int far = 1; far < UNKNOWNS; far *= 2) {
        sa[t] = va;
        sb[t] = vb;
        sc[t] = vc;
        sd[t] = vd;
        __syncthreads();
        if (t >= far) {
            float k = va / sb[t - far];
            vb -= k * sc[t - far];
            vd -= k * sd[t - far];
            va = -k * sa[t - far];
        }
        if (t + far < UNKNOWNS) {
            float k = vc / sb[t + far];
            vb -= k * sa[t + far];
            vd -= k * sd[t + far];
            vc = -k * sc[t + far];
        }
        __syncthreads();
    }
    x[i] = vd / vb;
}
