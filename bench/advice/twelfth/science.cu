// Science: gravtile_*, barropt_*, duffing_*, kmedians_*, fft16_*, fftpad_*, legendre_*, coulgrid_*, morse_*, pcr_*, viterbi_*. Each pair's
// YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Bodies: x, y, z, mass -------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ void pulled(float4 &sum, float4 at, float4 other)
{
    float x = other.x - at.x, y = other.y - at.y, z = other.z - at.z, r = rsqrtf(x * x + y * y + z * z + 0.01f), f = other.w * r * r * r;
    sum.x += f * x;
    sum.y += f * y;
    sum.z += f * z;
    sum.w += other.w * r;
}

extern "C" __global__ void gravtile_direct(const float4 *at, const float4 *other, float4 *pull, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 own = at[i], sum = {};
    for (int j = 0; j < m; ++j)
        pulled(sum, own, other[j]);
    pull[i] = sum;
}

extern "C" __global__ void gravtile_tile(const float4 *at, const float4 *other, float4 *pull, int m)
{
    __shared__ float4 tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 own = at[i], sum = {};
    for (int first = 0; first < m; first += 256) {
        tile[threadIdx.x] = other[first + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 256; ++j)
            pulled(sum, own, tile[j]);
        __syncthreads();
    }
    pull[i] = sum;
}

extern "C" __global__ void gravtile_two(const float4 *at, const float4 *other, float4 *pull, int m)
{
    __shared__ float4 tile[256];
    int i = blockIdx.x * 512 + threadIdx.x;
    float4 own = at[i], own2 = at[i + 256], sum = {}, sum2 = {};
    for (int first = 0; first < m; first += 256) {
        tile[threadIdx.x] = other[first + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 256; ++j) {
            float4 o = tile[j];
            pulled(sum, own, o);
            pulled(sum2, own2, o);
        }
        __syncthreads();
    }
    pull[i] = sum;
    pull[i + 256] = sum2;
}

/* ---- An option that is worth less the nearer its path's top is to 160 ------------------------------------------------------------ */

static __device__ __forceinline__ unsigned next_word(unsigned x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

extern "C" __global__ void barropt_doubles(float *pay, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned word = i * 747796405u + 2891336453u;
    float price = 100.0f, most = price;
    for (int s = 0; s < 32; ++s) {
        word = next_word(word);
        price *= 1.0003 + 0.1 * ((word >> 8) * 5.9604644775390625e-8 - 0.5);
        most = fmaxf(most, price);
    }
    pay[i] = fmaxf(price - 100.0, 0.0) * fminf(fmaxf((160.0 - most) * 0.05, 0.0), 1.0) * 0.97;
}

extern "C" __global__ void barropt_floats(float *pay, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned word = i * 747796405u + 2891336453u;
    float price = 100.0f, most = price;
    for (int s = 0; s < 32; ++s) {
        word = next_word(word);
        price *= 1.0003f + 0.1f * ((word >> 8) * 5.9604644775390625e-8f - 0.5f);
        most = fmaxf(most, price);
    }
    pay[i] = fmaxf(price - 100.0f, 0.0f) * fminf(fmaxf((160.0f - most) * 0.05f, 0.0f), 1.0f) * 0.97f;
}

/* ---- 64 steps of an oscillator whose drive begins at its place --------------------------------------------------------------------- */

extern "C" __global__ void duffing_exact(const float2 *start, float2 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = start[i].x, v = start[i].y, phase = x;
    for (int s = 0; s < 64; ++s) {
        v += 0.02f * (x - x * x * x - 0.2f * v + 0.3f * cosf(phase + 0.024f * s));
        x += 0.02f * v;
    }
    out[i] = make_float2(x, v);
}

extern "C" __global__ void duffing_fast(const float2 *start, float2 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = start[i].x, v = start[i].y, phase = x;
    for (int s = 0; s < 64; ++s) {
        v += 0.02f * (x - x * x * x - 0.2f * v + 0.3f * __cosf(phase + 0.024f * s));
        x += 0.02f * v;
    }
    out[i] = make_float2(x, v);
}

/* ---- 32 centres of eight numbers; number d of all points is at d n --------------------------------------------------------------------- */

__constant__ float centres[256];

static __device__ __forceinline__ int nearest_of(const float *p, const float *centre)
{
    float least = 1.0e30f;
    int best = 0;
    for (int c = 0; c < 32; ++c) {
        float sum = 0.0f;
#pragma unroll
        for (int d = 0; d < 8; ++d)
            sum += fabsf(p[d] - centre[c * 8 + d]);
        best = sum < least ? c : best;
        least = fminf(sum, least);
    }
    return best;
}

extern "C" __global__ void kmedians_global(const float *point, const float *centre, int *nearest, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float p[8];
#pragma unroll
    for (int d = 0; d < 8; ++d)
        p[d] = point[d * n + i];
    nearest[i] = nearest_of(p, centre);
}

extern "C" __global__ void kmedians_constant(const float *point, int *nearest, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float p[8];
#pragma unroll
    for (int d = 0; d < 8; ++d)
        p[d] = point[d * n + i];
    nearest[i] = nearest_of(p, centres);
}

/* ---- 16 points a thread -------------------------------------------------------------------------------------------------------------------- */

__constant__ float cosines[8] = {1.0f, 0.923879533f, 0.707106781f, 0.382683432f, 0.0f, -0.382683432f, -0.707106781f, -0.923879533f};
__constant__ float sines[8] = {0.0f, -0.382683432f, -0.707106781f, -0.923879533f, -1.0f, -0.923879533f, -0.707106781f, -0.382683432f};

static __device__ __forceinline__ void butterfly(float *re, float *im, int low, int high, int turn)
{
    float c = cosines[turn], s = sines[turn], x = re[high] * c - im[high] * s, y = re[high] * s + im[high] * c;
    re[high] = re[low] - x;
    im[high] = im[low] - y;
    re[low] += x;
    im[low] += y;
}

extern "C" __global__ void fft16_loops(const float *re, const float *im, float *out, int n, int stages)
{
    int l = blockIdx.x * blockDim.x + threadIdx.x, points = 1 << stages;
    if (l >= n)
        return;
    float x[16], y[16];
    for (int i = 0; i < points; ++i) {
        int from = __brev(i) >> (32 - stages);
        x[i] = re[from * n + l];
        y[i] = im[from * n + l];
    }
    for (int half = 1; half < points; half *= 2)
        for (int b = 0; b < points / 2; ++b) {
            int k = b % half, low = 2 * b - k;
            butterfly(x, y, low, low + half, k * (8 / half));
        }
    for (int i = 0; i < points; ++i) {
        out[i * n + l] = x[i];
        out[(points + i) * n + l] = y[i];
    }
}

extern "C" __global__ void fft16_unrolled(const float *re, const float *im, float *out, int n)
{
    int l = blockIdx.x * blockDim.x + threadIdx.x;
    if (l >= n)
        return;
    float x[16], y[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        int from = (i & 1) << 3 | (i & 2) << 1 | (i & 4) >> 1 | (i & 8) >> 3;
        x[i] = re[from * n + l];
        y[i] = im[from * n + l];
    }
#pragma unroll
    for (int stage = 0; stage < 4; ++stage)
#pragma unroll
        for (int b = 0; b < 8; ++b) {
            int half = 1 << stage, k = b % half, low = 2 * b - k;
            butterfly(x, y, low, low + half, k * (8 / half));
        }
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        out[i * n + l] = x[i];
        out[(16 + i) * n + l] = y[i];
    }
}

/* ---- 1024 points a block of 256 threads ------------------------------------------------------------------------------------------------------ */

template <int PAD> static __device__ __forceinline__ int place(int i)
{
    return i + i / 32 * PAD;
}

template <int PAD> static __device__ __forceinline__ void transform(const float2 *in, float2 *out)
{
    __shared__ float re[1056], im[1056];
    int t = threadIdx.x;
#pragma unroll
    for (int i = t; i < 1024; i += 256) {
        float2 v = in[blockIdx.x * 1024 + i];
        int to = place<PAD>(__brev(i) >> 22);
        re[to] = v.x;
        im[to] = v.y;
    }
    for (int half = 1; half < 1024; half *= 2) {
        __syncthreads();
#pragma unroll
        for (int b = t; b < 512; b += 256) {
            int k = b & (half - 1), low = place<PAD>(2 * b - k), high = place<PAD>(2 * b - k + half);
            float c, s;
            __sincosf(-3.14159265f / half * k, &s, &c);
            float x = re[high] * c - im[high] * s, y = re[high] * s + im[high] * c;
            re[high] = re[low] - x;
            im[high] = im[low] - y;
            re[low] += x;
            im[low] += y;
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = t; i < 1024; i += 256)
        out[blockIdx.x * 1024 + i] = make_float2(re[place<PAD>(i)], im[place<PAD>(i)]);
}

extern "C" __global__ void fftpad_plain(const float2 *in, float2 *out)
{
    transform<0>(in, out);
}

extern "C" __global__ void fftpad_padded(const float2 *in, float2 *out)
{
    transform<1>(in, out);
}

/* ---- Sums of Legendre polynomials; 64 threads ---------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ void load_terms(float4 *term, const float *coefficient)
{
    for (int k = threadIdx.x; k < 256; k += 64)
        term[k] = make_float4(coefficient[k], (2 * k + 1.0f) / (k + 1.0f), k / (k + 1.0f), 0.0f);
    __syncthreads();
}

extern "C" __global__ void legendre_one(const float *coefficient, const float *x, float *y, int places)
{
    __shared__ float4 term[256];
    load_terms(term, coefficient);
    for (int p = 0; p < places; ++p) {
        int i = (blockIdx.x * places + p) * 64 + threadIdx.x;
        float at = x[i], before = 0.0f, now = 1.0f, sum = 0.0f;
        for (int k = 0; k < 256; ++k) {
            float4 c = term[k];
            float next = c.y * at * now - c.z * before;
            sum += c.x * now;
            before = now;
            now = next;
        }
        y[i] = sum;
    }
}

extern "C" __global__ void legendre_four(const float *coefficient, const float *x, float *y, int places)
{
    __shared__ float4 term[256];
    load_terms(term, coefficient);
    for (int p = 0; p < places; p += 4) {
        int i = (blockIdx.x * places + p) * 64 + threadIdx.x;
        float at[4], before[4] = {}, now[4] = {1.0f, 1.0f, 1.0f, 1.0f}, sum[4] = {};
#pragma unroll
        for (int e = 0; e < 4; ++e)
            at[e] = x[i + e * 64];
        for (int k = 0; k < 256; ++k) {
            float4 c = term[k];
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                float next = c.y * at[e] * now[e] - c.z * before[e];
                sum[e] += c.x * now[e];
                before[e] = now[e];
                now[e] = next;
            }
        }
#pragma unroll
        for (int e = 0; e < 4; ++e)
            y[i + e * 64] = sum[e];
    }
}

/* ---- Charges above a grid of cells of 1/128: x, y, z, charge; 1024 of them at most ------------------------------------------------------------------ */

static __device__ __forceinline__ void load_atoms(float4 *own, const float4 *atom, int atoms)
{
    for (int a = threadIdx.x; a < atoms; a += blockDim.x)
        own[a] = atom[a];
    __syncthreads();
}

extern "C" __global__ void coulgrid_root(const float4 *atom, float *grid, int w, int atoms)
{
    __shared__ float4 own[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i * 0.0078125f, y = blockIdx.y * 0.0078125f, sum = 0.0f;
    load_atoms(own, atom, atoms);
    for (int a = 0; a < atoms; ++a) {
        float4 o = own[a];
        float dx = o.x - x, dy = o.y - y;
        sum += o.w / sqrtf(dx * dx + dy * dy + o.z * o.z + 0.01f);
    }
    grid[blockIdx.y * w + i] = sum;
}

extern "C" __global__ void coulgrid_inverse(const float4 *atom, float *grid, int w, int atoms)
{
    __shared__ float4 own[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i * 0.0078125f, y = blockIdx.y * 0.0078125f, sum = 0.0f;
    load_atoms(own, atom, atoms);
    for (int a = 0; a < atoms; ++a) {
        float4 o = own[a];
        float dx = o.x - x, dy = o.y - y;
        sum += o.w * rsqrtf(dx * dx + dy * dy + o.z * o.z + 0.01f);
    }
    grid[blockIdx.y * w + i] = sum;
}

extern "C" __global__ void coulgrid_four(const float4 *atom, float4 *grid, int w, int atoms)
{
    __shared__ float4 own[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i * 0.03125f, y = blockIdx.y * 0.0078125f;
    float4 sum = {};
    load_atoms(own, atom, atoms);
    for (int a = 0; a < atoms; ++a) {
        float4 o = own[a];
        float dx = o.x - x, dy = o.y - y, rest = dy * dy + o.z * o.z + 0.01f;
        sum.x += o.w * rsqrtf(dx * dx + rest);
        dx -= 0.0078125f;
        sum.y += o.w * rsqrtf(dx * dx + rest);
        dx -= 0.0078125f;
        sum.z += o.w * rsqrtf(dx * dx + rest);
        dx -= 0.0078125f;
        sum.w += o.w * rsqrtf(dx * dx + rest);
    }
    grid[blockIdx.y * (w / 4) + i] = sum;
}

/* ---- Eight pairs a thread; distance k of all is at k n -------------------------------------------------------------------------------------------------- */

extern "C" __global__ void morse_exact(const float *distance, float *force, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        float r = distance[k * n + i];
        sum += (expf(-3.0f * (r - 1.2f)) - expf(-1.5f * (r - 1.2f))) / r;
    }
    force[i] = 3.0f * sum;
}

extern "C" __global__ void morse_square(const float *distance, float *force, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        float r = distance[k * n + i], e = __expf(-1.5f * (r - 1.2f));
        sum += __fdividef(e * e - e, r);
    }
    force[i] = 3.0f * sum;
}

/* ---- Systems of 32: lower x(i - 1) + diagonal x(i) + upper x(i + 1) = right -------------------------------------------------------------------------------- */

extern "C" __global__ void pcr_shared(const float *lower, const float *diagonal, const float *upper, const float *right, float *x)
{
    __shared__ float as[256], bs[256], cs[256], ds[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, row = t % 32;
    float a = row > 0 ? lower[i] : 0.0f, b = diagonal[i], c = row < 31 ? upper[i] : 0.0f, d = right[i];
    for (int step = 1; step < 32; step *= 2) {
        as[t] = a;
        bs[t] = b;
        cs[t] = c;
        ds[t] = d;
        __syncthreads();
        if (row >= step) {
            float k = __fdividef(a, bs[t - step]);
            b -= k * cs[t - step];
            d -= k * ds[t - step];
            a = -k * as[t - step];
        }
        if (row + step < 32) {
            float k = __fdividef(c, bs[t + step]);
            b -= k * as[t + step];
            d -= k * ds[t + step];
            c = -k * cs[t + step];
        }
        __syncthreads();
    }
    x[i] = __fdividef(d, b);
}

extern "C" __global__ void pcr_shuffles(const float *lower, const float *diagonal, const float *upper, const float *right, float *x)
{
    int i = blockIdx.x * 256 + threadIdx.x, row = threadIdx.x % 32;
    float a = row > 0 ? lower[i] : 0.0f, b = diagonal[i], c = row < 31 ? upper[i] : 0.0f, d = right[i];
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        float a1 = __shfl_up_sync(0xffffffff, a, step), b1 = __shfl_up_sync(0xffffffff, b, step), c1 = __shfl_up_sync(0xffffffff, c, step);
        float d1 = __shfl_up_sync(0xffffffff, d, step), a2 = __shfl_down_sync(0xffffffff, a, step);
        float b2 = __shfl_down_sync(0xffffffff, b, step), c2 = __shfl_down_sync(0xffffffff, c, step);
        float d2 = __shfl_down_sync(0xffffffff, d, step);
        float k1 = row >= step ? __fdividef(a, b1) : 0.0f, k2 = row + step < 32 ? __fdividef(c, b2) : 0.0f;
        b -= k1 * c1 + k2 * a2;
        d -= k1 * d1 + k2 * d2;
        a = -k1 * a1;
        c = -k2 * c2;
    }
    x[i] = __fdividef(d, b);
}

/* ---- A warp a word, a lane a state; 32 numbers a row of `move` are the ways into a state --------------------------------------------------------------------- */

template <int ROW> static __device__ __forceinline__ void likeliest(const float *start, const float *move, const float *seen, float *best, int steps)
{
    __shared__ float ways[32 * ROW];
    int lane = threadIdx.x % 32, word = blockIdx.x * 4 + threadIdx.x / 32, words = gridDim.x * 4;
    for (int i = threadIdx.x; i < 1024; i += 128)
        ways[i / 32 * ROW + i % 32] = move[i];
    __syncthreads();
    float own = start[word * 32 + lane];
    for (int s = 0; s < steps; ++s) {
        float most = -1.0e30f;
#pragma unroll
        for (int from = 0; from < 32; ++from)
            most = fmaxf(most, __shfl_sync(0xffffffff, own, from) + ways[lane * ROW + from]);
        own = most + seen[(s * words + word) * 32 + lane];
    }
    best[word * 32 + lane] = own;
}

extern "C" __global__ void viterbi_plain(const float *start, const float *move, const float *seen, float *best, int steps)
{
    likeliest<32>(start, move, seen, best, steps);
}

extern "C" __global__ void viterbi_padded(const float *start, const float *move, const float *seen, float *best, int steps)
{
    likeliest<33>(start, move, seen, best, steps);
}
