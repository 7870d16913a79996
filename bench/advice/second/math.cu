// Arithmetic on numbers and strings: mandelbrot_*, options_*, fft_*, states_*, edit_*, align_*, walk_*, modpow_*. Each pair's YAML
// says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- The Mandelbrot set: blocks that stay, a row at a time --------------------------------------------------- */

enum { DEEP = 128 };

static __device__ __forceinline__ void mandelbrot_row(unsigned char *out, int w, int h, int y)
{
    for (int x = threadIdx.x; x < w; x += blockDim.x) {
        float a = -2.25f + 3.0f * (float)x / (float)w, b = -1.5f + 3.0f * (float)y / (float)h;
        float u = 0, v = 0;
        int steps = 0;
        while (steps < DEEP && u * u + v * v < 4) {
            float next = u * u - v * v + a;
            v = 2 * u * v + b;
            u = next;
            steps++;
        }
        out[y * w + x] = (unsigned char)steps;
    }
}

extern "C" __global__ void mandelbrot_bands(unsigned char *out, int w, int h)
{
    int rows = h / gridDim.x;
    for (int y = blockIdx.x * rows; y < (int)(blockIdx.x + 1) * rows; y++)
        mandelbrot_row(out, w, h, y);
}

extern "C" __global__ void mandelbrot_turns(unsigned char *out, int w, int h)
{
    for (int y = blockIdx.x; y < h; y += gridDim.x)
        mandelbrot_row(out, w, h, y);
}

/* ---- Black-Scholes of structs of five numbers ---------------------------------------------------------------- */

enum { FIELDS = 5 }; // price, strike, years, rate, volatility

static __device__ __forceinline__ float normal_exact(float d)
{
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float tail = 0.39894228f * expf(-0.5f * d * d) * k *
                 (0.31938153f + k * (-0.356563782f +
                                     k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    return d > 0 ? 1 - tail : tail;
}

static __device__ __forceinline__ float call_exact(float s, float x, float t, float r, float v)
{
    float d1 = (logf(s / x) + (r + 0.5f * v * v) * t) / (v * sqrtf(t)), d2 = d1 - v * sqrtf(t);
    return s * normal_exact(d1) - x * expf(-r * t) * normal_exact(d2);
}

static __device__ __forceinline__ float normal_fast(float d)
{
    float k = __fdividef(1, 1 + 0.2316419f * fabsf(d));
    float tail = 0.39894228f * __expf(-0.5f * d * d) * k *
                 (0.31938153f + k * (-0.356563782f +
                                     k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    return d > 0 ? 1 - tail : tail;
}

static __device__ __forceinline__ float call_fast(float s, float x, float t, float r, float v)
{
    float per_root = rsqrtf(t), deviation = v * t * per_root;
    float d1 = __fdividef(__logf(__fdividef(s, x)) + (r + 0.5f * v * v) * t, deviation),
          d2 = d1 - deviation;
    return s * normal_fast(d1) - x * __expf(-r * t) * normal_fast(d2);
}

extern "C" __global__ void options_exact(float *out, const float *options)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float *o = options + i * FIELDS;
    out[i] = call_exact(o[0], o[1], o[2], o[3], o[4]);
}

extern "C" __global__ void options_fast(float *out, const float *options)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float *o = options + i * FIELDS;
    out[i] = call_fast(o[0], o[1], o[2], o[3], o[4]);
}

extern "C" __global__ void options_staged(float *out, const float *options)
{
    __shared__ float tile[256 * FIELDS];
    for (int k = 0; k < FIELDS; k++)
        tile[k * 256 + threadIdx.x] = options[(blockIdx.x * FIELDS + k) * 256 + threadIdx.x];
    __syncthreads();
    const float *o = tile + threadIdx.x * FIELDS;
    out[blockIdx.x * 256 + threadIdx.x] = call_fast(o[0], o[1], o[2], o[3], o[4]);
}

/* ---- Fourier transforms of 256 numbers, a block each --------------------------------------------------------- */

enum { POINTS = 256 };
#define TURN (-3.14159265f)

// 16 numbers of 8 bytes fill the banks; then a place is left out.
static __device__ __forceinline__ int padded(int i)
{
    return i + i / 16;
}

static __device__ __forceinline__ float2 times(float2 a, float2 b)
{
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

static __device__ __forceinline__ float2 root(float angle)
{
    float2 w;
    sincosf(angle, &w.y, &w.x);
    return w;
}

static __device__ __forceinline__ void butterfly(float2 *a, float2 *b, float2 w)
{
    float2 v = times(*b, w), u = *a;
    *a = {u.x + v.x, u.y + v.y};
    *b = {u.x - v.x, u.y - v.y};
}

#define FFT(PLACE, WEIGHT)                                          \
    __shared__ float2 v[POINTS + POINTS / 16];                      \
    int t = threadIdx.x, first = blockIdx.x * POINTS;               \
    for (int i = t; i < POINTS; i += POINTS / 2)                    \
        v[PLACE((int)(__brev((unsigned)i) >> 24))] = in[first + i]; \
    for (int half = 1; half < POINTS; half *= 2) {                  \
        __syncthreads();                                            \
        int k = t & (half - 1), a = 2 * t - k;                      \
        butterfly(&v[PLACE(a)], &v[PLACE(a + half)], WEIGHT);       \
    }                                                               \
    __syncthreads();                                                \
    for (int i = t; i < POINTS; i += POINTS / 2)                    \
    out[first + i] = v[PLACE(i)]

extern "C" __global__ void fft_sines(float2 *out, const float2 *in)
{
    FFT(, root(TURN * (float)k / (float)half));
}

extern "C" __global__ void fft_table(float2 *out, const float2 *in)
{
    __shared__ float2 w[POINTS / 2];
    w[threadIdx.x] = root(TURN * 2 * (float)threadIdx.x / POINTS);
    FFT(, w[k * (POINTS / 2 / half)]);
}

// Each stage's roots lie side by side behind those of the stage before.
static __device__ __forceinline__ void stage_roots(float2 *w, int t)
{
    for (int i = t + 1; i < POINTS; i += blockDim.x) {
        int half = 1 << (31 - __clz(i));
        w[i] = root(TURN * (float)(i - half) / (float)half);
    }
}

extern "C" __global__ void fft_padded(float2 *out, const float2 *in)
{
    __shared__ float2 w[POINTS];
    stage_roots(w, threadIdx.x);
    FFT(padded, w[half + k]);
}

// Two stages between barriers: a thread has their four numbers in registers.
extern "C" __global__ void fft_fours(float2 *out, const float2 *in)
{
    __shared__ float2 v[POINTS + POINTS / 16], w[POINTS];
    int t = threadIdx.x, first = blockIdx.x * POINTS;
    stage_roots(w, t);
    for (int i = t; i < POINTS; i += POINTS / 4)
        v[padded((int)(__brev((unsigned)i) >> 24))] = in[first + i];
    for (int half = 1; half < POINTS; half *= 4) {
        __syncthreads();
        int k = t & (half - 1), at = 4 * t - 3 * k;
        float2 a = v[padded(at)], b = v[padded(at + half)];
        float2 c = v[padded(at + 2 * half)], d = v[padded(at + 3 * half)];
        butterfly(&a, &b, w[half + k]);
        butterfly(&c, &d, w[half + k]);
        butterfly(&a, &c, w[2 * half + k]);
        butterfly(&b, &d, w[3 * half + k]);
        v[padded(at)] = a;
        v[padded(at + half)] = b;
        v[padded(at + 2 * half)] = c;
        v[padded(at + 3 * half)] = d;
    }
    __syncthreads();
    for (int i = t; i < POINTS; i += POINTS / 4)
        out[first + i] = v[padded(i)];
}

/* ---- Sums of the numbers and words in records of 64 characters, by a state machine --------------------------- */

enum state { BLANK, NUMBER, FRACTION, WORD };

extern "C" __global__ void states_branches(unsigned *out, const unsigned char *text, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    enum state state = BLANK;
    unsigned value = 0, sum = 0;
    for (int at = 0; at < 64; at++) {
        unsigned c = text[at * n + i];
        switch (state) {
        case BLANK:
            if (c >= '0' && c <= '9') {
                state = NUMBER;
                value = c - '0';
            } else if (c >= 'a' && c <= 'z') {
                state = WORD;
                value = c;
            }
            break;
        case NUMBER:
            if (c >= '0' && c <= '9') {
                value = value * 10 + (c - '0');
            } else if (c == '.') {
                state = FRACTION;
                sum += value * 3;
                value = 0;
            } else {
                state = BLANK;
                sum += value;
            }
            break;
        case FRACTION:
            if (c >= '0' && c <= '9') {
                value = (value ^ (c - '0')) * 7;
            } else {
                state = BLANK;
                sum ^= value;
            }
            break;
        case WORD:
            if (c >= 'a' && c <= 'z') {
                value = value * 31 + c;
            } else {
                state = BLANK;
                sum += value >> 3;
            }
            break;
        }
    }
    out[i] = sum;
}

// What a state does with a digit, a letter, a point and any other character. times, add: of the value (2: it is mixed
// with the digit first). part: 0 nothing is added to the sum, 1 the value, 2 three times it, 3 it is mixed in, 4 an eighth.
struct action {
    unsigned next, times, add, part;
};

extern "C" __global__ void states_table(unsigned *out, const unsigned char *text, int n)
{
    static __constant__ const struct action actions[4][4] = {
        {{NUMBER, 0, 1, 0}, {WORD, 0, 1, 0}, {BLANK, 1, 0, 0}, {BLANK, 1, 0, 0}},
        {{NUMBER, 10, 1, 0}, {BLANK, 1, 0, 1}, {FRACTION, 0, 0, 2}, {BLANK, 1, 0, 1}},
        {{FRACTION, 7, 2, 0}, {BLANK, 1, 0, 3}, {BLANK, 1, 0, 3}, {BLANK, 1, 0, 3}},
        {{BLANK, 1, 0, 4}, {WORD, 31, 1, 0}, {BLANK, 1, 0, 4}, {BLANK, 1, 0, 4}},
    };
    __shared__ uint4 rows[16];
    if (threadIdx.x < 16) {
        const struct action *a = &actions[threadIdx.x / 4][threadIdx.x % 4];
        rows[threadIdx.x] = {a->next, a->times, a->add, a->part};
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = BLANK, value = 0, sum = 0;
    for (int at = 0; at < 64; at++) {
        unsigned c = text[at * n + i], digit = c - '0' <= 9u, letter = c - 'a' <= 25u;
        unsigned sort = digit ? 0u : letter ? 1u : c == '.' ? 2u : 3u, mine = digit ? c - '0' : c;
        uint4 row = rows[state * 4 + sort];
        sum += row.w == 1 ? value : row.w == 2 ? value * 3 : row.w == 4 ? value >> 3 : 0;
        sum ^= row.w == 3 ? value : 0;
        value = row.z == 2 ? (value ^ mine) * row.y : value * row.y + (row.z == 1 ? mine : 0);
        state = row.x;
    }
    out[i] = sum;
}

/* ---- Edit distance of pairs of 32 letters, a thread per pair; letter k of pair i at k * n + i ---------------- */

enum { LETTERS = 32 };

extern "C" __global__ void edit_indexed(int *out, const unsigned char *a, const unsigned char *b,
                                        int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row[LETTERS + 1];
#pragma unroll 1
    for (int k = 0; k <= LETTERS; k++)
        row[k] = k;
#pragma unroll 1
    for (int j = 0; j < LETTERS; j++) {
        int diagonal = row[0];
        row[0] = j + 1;
#pragma unroll 1
        for (int k = 0; k < LETTERS; k++) {
            int above = row[k + 1], change = diagonal + (a[j * n + i] != b[k * n + i]);
            row[k + 1] = min(min(above, row[k]) + 1, change);
            diagonal = above;
        }
    }
    out[i] = row[LETTERS];
}

extern "C" __global__ void edit_unrolled(int *out, const unsigned char *a, const unsigned char *b,
                                         int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row[LETTERS + 1], letter[LETTERS];
#pragma unroll
    for (int k = 0; k < LETTERS; k++) {
        row[k] = k;
        letter[k] = b[k * n + i];
    }
    row[LETTERS] = LETTERS;
#pragma unroll 1
    for (int j = 0; j < LETTERS; j++) {
        int diagonal = row[0], mine = a[j * n + i];
        row[0] = j + 1;
#pragma unroll
        for (int k = 0; k < LETTERS; k++) {
            int above = row[k + 1], change = diagonal + (mine != letter[k]);
            row[k + 1] = min(min(above, row[k]) + 1, change);
            diagonal = above;
        }
    }
    out[i] = row[LETTERS];
}

/* ---- Best local alignment (Smith-Waterman) of pairs of 64 letters -------------------------------------------- */

enum { LONG = 64 };

static __device__ __forceinline__ int scored(int diagonal, int above, int left, bool same)
{
    return max(max(0, diagonal + (same ? 2 : -1)), max(above, left) - 1);
}

// A thread per column; a barrier per diagonal. score[d % 3] holds the diagonals.
extern "C" __global__ void align_wavefront(int *out, const unsigned char *a, const unsigned char *b)
{
    __shared__ int score[3][LONG + 1], bests[LONG];
    __shared__ unsigned char across[LONG];
    int t = threadIdx.x, best = 0, letter = b[blockIdx.x * LONG + t];
    across[t] = a[blockIdx.x * LONG + t];
    for (int d = 0; d < 3; d++) {
        score[d][t] = 0;
        score[d][LONG] = 0;
    }
    for (int d = 0; d < 2 * LONG - 1; d++) {
        __syncthreads();
        int row = d - t, now = d % 3, before = (d + 2) % 3, earlier = (d + 1) % 3;
        if (row >= 0 && row < LONG) {
            int v = scored(score[earlier][t], score[before][t + 1], score[before][t],
                           across[row] == letter);
            score[now][t + 1] = v;
            best = max(best, v);
        }
    }
    bests[t] = best;
    __syncthreads();
    if (t == 0) {
        for (int k = 1; k < LONG; k++)
            best = max(best, bests[k]);
        out[blockIdx.x] = best;
    }
}

// A warp per pair, two columns a lane; the left neighbour's column comes by shuffles, a row later each.
extern "C" __global__ void align_warp(int *out, const unsigned char *a, const unsigned char *b)
{
    int pair = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int b0 = b[pair * LONG + 2 * lane], b1 = b[pair * LONG + 2 * lane + 1];
    int a0 = a[pair * LONG + lane], a1 = a[pair * LONG + 32 + lane];
    int v0 = 0, v1 = 0, corner = 0, best = 0, letter = 0;
    for (int s = 0; s < LONG + 31; s++) {
        int fresh = __shfl_sync(0xffffffffu, s < 32 ? a0 : a1, s % 32);
        letter = __shfl_up_sync(0xffffffffu, letter, 1);
        int left = __shfl_up_sync(0xffffffffu, v1, 1), row = s - lane;
        letter = lane == 0 ? fresh : letter;
        left = lane == 0 ? 0 : left;
        if (row >= 0 && row < LONG) {
            int above = v0;
            v0 = scored(corner, v0, left, letter == b0);
            v1 = scored(above, v1, v0, letter == b1);
            best = max(best, max(v0, v1));
            corner = left;
        }
    }
    for (int d = 16; d > 0; d /= 2)
        best = max(best, __shfl_xor_sync(0xffffffffu, best, d));
    if (lane == 0)
        out[pair] = best;
}

/* ---- Walks of 64 steps through a map of 768 places, a copy of it per lane in 96 KiB of shared memory --------- */

enum { PLACES = 768, WALKS = 8 };

static __device__ __forceinline__ const int *map_loaded(const int *map)
{
    extern __shared__ int places[];
    for (int k = threadIdx.x; k < PLACES * 32; k += blockDim.x)
        places[k] = map[k / 32];
    __syncthreads();
    return places + threadIdx.x % 32;
}

extern "C" __global__ void walk_one(int *out, const int *map, const int *starts)
{
    const int *next = map_loaded(map);
    int first = blockIdx.x * blockDim.x * WALKS + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < WALKS; k++) {
        int at = starts[first + k * blockDim.x];
        for (int s = 0; s < 64; s++)
            at = next[at * 32];
        out[first + k * blockDim.x] = at;
    }
}

extern "C" __global__ void walk_four(int *out, const int *map, const int *starts)
{
    const int *next = map_loaded(map);
    int first = blockIdx.x * blockDim.x * WALKS + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < WALKS; k += 4) {
        int at[4];
        for (int e = 0; e < 4; e++)
            at[e] = starts[first + (k + e) * blockDim.x];
        for (int s = 0; s < 64; s++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                at[e] = next[at[e] * 32];
        for (int e = 0; e < 4; e++)
            out[first + (k + e) * blockDim.x] = at[e];
    }
}

/* ---- Powers modulo an odd number of 32 bits ------------------------------------------------------------------ */

extern "C" __global__ void modpow_remainder(unsigned *out, const unsigned *base, unsigned power,
                                            unsigned p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned square = base[i] % p, v = 1;
    for (unsigned e = power; e > 0; e >>= 1) {
        if (e & 1)
            v = (unsigned)((unsigned long long)v * square % p);
        square = (unsigned)((unsigned long long)square * square % p);
    }
    out[i] = v;
}

// a b / 2^32 modulo p, by Montgomery; minus is -1/p modulo 2^32.
static __device__ __forceinline__ unsigned reduced(unsigned a, unsigned b, unsigned p,
                                                   unsigned minus)
{
    unsigned long long ab = (unsigned long long)a * b;
    unsigned m = (unsigned)ab * minus, carry = (unsigned)ab != 0;
    unsigned long long v = (ab >> 32) + __umulhi(m, p) + carry;
    return (unsigned)(v >= p ? v - p : v);
}

extern "C" __global__ void modpow_montgomery(unsigned *out, const unsigned *base, unsigned power,
                                             unsigned p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned inverse = p; // to 3 bits
    for (int k = 0; k < 4; k++)
        inverse *= 2 - p * inverse;
    unsigned one = (unsigned)((1ull << 32) % p), minus = 0u - inverse;
    unsigned square = (unsigned)(((unsigned long long)base[i] << 32) % p), v = one;
    for (unsigned e = power; e > 0; e >>= 1) {
        if (e & 1)
            v = reduced(v, square, p, minus);
        square = reduced(square, square, p, minus);
    }
    out[i] = reduced(v, 1, p, minus);
}
