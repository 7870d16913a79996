// o = softmax(q k^T / sqrt(128)) v for each head: q, k, v, o bf16 of H heads, L rows, 128 columns; any L.
//   naive_attention   a block a query: all its scores in shared memory, three passes
//   tiled_attention   64 queries by 64 keys in shared memory, the softmax rescaled as larger scores come ("online")
//   wgmma_attention   a warpgroup copies tiles of KEYS keys by tensor map, CONSUMERS warpgroups of 64 queries each
//                     multiply; OVERLAP: the next scores are under way during a softmax; TURNS: consumers take
//                     turns at the tensor cores, so that one's softmax meets the other's products
// Scores are kept in units of log2: exponentials are ex2.
// SPDX-License-Identifier: Apache-2.0
#include "../common/warpgroup.h"

enum { D = 128 };
#define SCALE 0.12751743f // log2(e) / sqrt(128)
#define LEAST __int_as_float((int)0xff800000) // minus infinity

static __device__ __forceinline__ float wide(unsigned bits)
{
    return __int_as_float((int)(bits << 16));
}

static __device__ __forceinline__ float power(float x) // of 2
{
#ifdef __AMDGCN__
    return exp2f(x);
#else
    float r;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
#endif
}

/* ---- a block a query -------------------------------------------------------------------------------------- */

// Four elements of a row a lane.
static __device__ __forceinline__ float4 four(const bf16 *p)
{
    uint2 v = *(const uint2 *)p;
    return make_float4(wide(v.x & 0xffff), wide(v.x >> 16), wide(v.y & 0xffff), wide(v.y >> 16));
}

static __device__ __forceinline__ float warp_sum(float x)
{
    for (int i = 16; i > 0; i /= 2)
        x += __shfl_xor_sync(~0u, x, i);
    return x;
}

extern "C" __global__ void __launch_bounds__(128)
naive_attention(bf16 *o, const bf16 *q, const bf16 *k, const bf16 *v, int L)
{
    extern __shared__ float scores[];
    __shared__ float most[4], total[4];
    int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
    size_t head = (size_t)blockIdx.y * L * D, query = head + (size_t)blockIdx.x * D;
    float4 mine = four(q + query + lane * 4);
    float best = LEAST, sum = 0, out = 0;
    for (int j = warp; j < L; j += 4) {
        float4 key = four(k + head + (size_t)j * D + lane * 4);
        float s = warp_sum(mine.x * key.x + mine.y * key.y + mine.z * key.z + mine.w * key.w) * SCALE;
        best = fmaxf(best, s);
        if (lane == 0)
            scores[j] = s;
    }
    if (lane == 0)
        most[warp] = best;
    __syncthreads();
    best = fmaxf(fmaxf(most[0], most[1]), fmaxf(most[2], most[3]));
    for (int j = thread; j < L; j += 128) {
        scores[j] = power(scores[j] - best);
        sum += scores[j];
    }
    sum = warp_sum(sum);
    if (lane == 0)
        total[warp] = sum;
    __syncthreads();
    for (int j = 0; j < L; j++)
        out += scores[j] * wide(v[head + (size_t)j * D + thread]);
    o[query + thread] = (bf16)two_bf16(out / (total[0] + total[1] + total[2] + total[3]), 0);
}

/* ---- tiles, without tensor cores ---------------------------------------------------------------------------- */

enum { ROWS = 64, PITCH = ROWS + 4 };

// 64 rows of a matrix as f32, turned round; rows beyond the last are zeros.
static __device__ __forceinline__ void load_columns(float *to, const bf16 *from, int rows)
{
    for (int i = threadIdx.x; i < ROWS * D / 4; i += 256) {
        int row = i % ROWS, col = i / ROWS * 4;
        float4 f = row < rows ? four(from + (size_t)row * D + col) : make_float4(0, 0, 0, 0);
        to[col * PITCH + row] = f.x, to[(col + 1) * PITCH + row] = f.y;
        to[(col + 2) * PITCH + row] = f.z, to[(col + 3) * PITCH + row] = f.w;
    }
}

// d += a b for a 64 x 4 * COLUMNS part: thread (y, x) has rows 4 y to 4 y + 3 and fours of columns 4 x, 64 apart.
template <int DEEP, int FOURS>
static __device__ __forceinline__ void add_products(float (&d)[4][4 * FOURS], const float *a, const float *b,
                                                    int pitch_a, int pitch_b)
{
#pragma unroll 4
    for (int i = 0; i < DEEP; i++) {
        float4 u = *(const float4 *)(a + i * pitch_a);
#pragma unroll
        for (int f = 0; f < FOURS; f++) {
            float4 w = *(const float4 *)(b + i * pitch_b + f * 64);
            float us[4] = {u.x, u.y, u.z, u.w}, ws[4] = {w.x, w.y, w.z, w.w};
#pragma unroll
            for (int r = 0; r < 4; r++)
#pragma unroll
                for (int c = 0; c < 4; c++)
                    d[r][f * 4 + c] += us[r] * ws[c];
        }
    }
}

extern "C" __global__ void __launch_bounds__(256)
tiled_attention(bf16 *o, const bf16 *q, const bf16 *k, const bf16 *v, int L)
{
    extern __shared__ __align__(16) float tiles[];
    float *qs = tiles, *ks = qs + D * PITCH, *vs = ks + D * PITCH, *ps = vs + ROWS * D;
    int t = threadIdx.x, x = t % 16 * 4, y = t / 16 * 4, first = blockIdx.x * ROWS;
    size_t head = (size_t)blockIdx.y * L * D;
    float out[4][8] = {{0}}, most[4], sum[4] = {0};
    for (int r = 0; r < 4; r++)
        most[r] = LEAST;
    load_columns(qs, q + head + (size_t)first * D, L - first);
    for (int j = 0; j < L; j += ROWS) {
        float s[4][4] = {{0}};
        load_columns(ks, k + head + (size_t)j * D, L - j);
        for (int i = t; i < ROWS * D / 4; i += 256)
            *(float4 *)(vs + i * 4) =
                i / (D / 4) < L - j ? four(v + head + (size_t)j * D + i * 4) : make_float4(0, 0, 0, 0);
        __syncthreads();
        add_products<D, 1>(s, qs + y, ks + x, PITCH, PITCH);
#pragma unroll
        for (int r = 0; r < 4; r++) {
            float best = most[r];
#pragma unroll
            for (int c = 0; c < 4; c++) {
                s[r][c] = j + x + c < L ? s[r][c] * SCALE : LEAST;
                best = fmaxf(best, s[r][c]);
            }
            for (int i = 8; i > 0; i /= 2)
                best = fmaxf(best, __shfl_xor_sync(~0u, best, i));
            float less = power(most[r] - best);
            most[r] = best;
            sum[r] *= less;
#pragma unroll
            for (int c = 0; c < 8; c++)
                out[r][c] *= less;
#pragma unroll
            for (int c = 0; c < 4; c++) {
                float p = power(s[r][c] - best);
                sum[r] += p;
                ps[(x + c) * PITCH + y + r] = p;
            }
        }
        __syncthreads();
        add_products<ROWS, 2>(out, ps + y, vs + x, PITCH, D);
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 4; r++) {
        for (int i = 8; i > 0; i /= 2)
            sum[r] += __shfl_xor_sync(~0u, sum[r], i);
        if (first + y + r < L)
            for (int f = 0; f < 2; f++)
                *(uint2 *)(o + head + (size_t)(first + y + r) * D + f * 64 + x) =
                    make_uint2(two_bf16(out[r][f * 4] / sum[r], out[r][f * 4 + 1] / sum[r]),
                               two_bf16(out[r][f * 4 + 2] / sum[r], out[r][f * 4 + 3] / sum[r]));
    }
}

/* ---- what compute capability 9.0 has ------------------------------------------------------------------------- */

#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef KEYS // of a tile: 128 or 176
#define KEYS 128
#endif
#ifndef STAGES
#define STAGES 2
#endif
#ifndef OVERLAP
#define OVERLAP 0
#endif
#ifndef TURNS
#define TURNS 0
#endif
enum { QUERIES = 64 * CONSUMERS, THREADS = 128 * (CONSUMERS + 1) };
enum { BYTES_Q = QUERIES * D * 2, BYTES_KV = KEYS * D * 2, HALF_Q = BYTES_Q / 2, HALF_KV = BYTES_KV / 2 };

// Rows `row` and on of a head, in two halves of 64 columns.
static __device__ __forceinline__ void load_rows(unsigned to, int half, const tensor_map *map, unsigned bar, int row,
                                                 int head)
{
    barrier_expect(bar, 2 * half);
#pragma unroll
    for (int h = 0; h < 2; h++)
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
                     "[%1, {%3, %4, %5}], [%2];" ::"r"(to + h * half),
                     "l"(map), "r"(bar), "r"(h * 64), "r"(row), "r"(head)
                     : "memory");
}

// d += a b: 64 x 16 times 16 x KEYS, both with rows along k; anew: d = a b.
#if KEYS == 128
static __device__ __forceinline__ void multiply(float (&d)[64], unsigned long long a, unsigned long long b,
                                                bool anew)
{
    asm volatile("{\n.reg .pred keep;\nsetp.eq.u32 keep, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" PLACES_64
                 "}, %64, %65, keep, 1, 1, 0, 0;\n}"
        : SUMS_64
        : "l"(a), "l"(b), "r"((int)anew));
}
#else
static __device__ __forceinline__ void multiply(float (&d)[88], unsigned long long a, unsigned long long b,
                                                bool anew)
{
    asm volatile("{\n.reg .pred keep;\nsetp.eq.u32 keep, %90, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n176k16.f32.bf16.bf16 {" PLACES_88
                 "}, %88, %89, keep, 1, 1, 0, 0;\n}"
        : SUMS_64, SUMS(64), SUMS(72), SUMS(80)
        : "l"(a), "l"(b), "r"((int)anew));
}
#endif

// d += p b: 64 x 16 in registers times 16 x 128, b's rows along n.
static __device__ __forceinline__ void multiply_by(float (&d)[D / 2], const unsigned *p, unsigned long long b,
                                                   bool anew)
{
    asm volatile("{\n.reg .pred keep;\nsetp.eq.u32 keep, %69, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" PLACES_64
                 "}, {%64, %65, %66, %67}, %68, keep, 1, 1, 1;\n}"
        : SUMS_64
        : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(b), "r"((int)anew));
}

struct ring { // of tiles of k or v
    unsigned tiles, full, empty; // shared addresses
    int stage;
    unsigned parity;
    unsigned long long matrix; // the descriptor of the first stage's tile
};

static __device__ __forceinline__ void ring_next(struct ring *r)
{
    if (++r->stage == STAGES) {
        r->stage = 0;
        r->parity ^= 1;
    }
}

static __device__ __forceinline__ void ring_fill(struct ring *r, const tensor_map *map, int tile, int head)
{
    barrier_wait(r->empty + 8 * r->stage, r->parity ^ 1);
    load_rows(r->tiles + r->stage * BYTES_KV, HALF_KV, map, r->full + 8 * r->stage, tile * KEYS, head);
    ring_next(r);
}

static __device__ __forceinline__ void ring_release(struct ring *r)
{
    if (threadIdx.x % 128 == 0)
        barrier_arrive(r->empty + 8 * r->stage);
    ring_next(r);
}

// One row of the softmax of a thread: rows lane / 4 and 8 further, the four lanes of a row together.
struct softmax {
    float most[2], sum[2];
};

// Scores to exponentials; less: what all before is multiplied with.
static __device__ __forceinline__ void softmax_step(struct softmax *x, float (&s)[KEYS / 2], float (&less)[2])
{
#pragma unroll
    for (int r = 0; r < 2; r++) {
        float best = x->most[r];
#pragma unroll
        for (int i = 0; i < KEYS / 8; i++)
            best = fmaxf(best, fmaxf(s[4 * i + 2 * r], s[4 * i + 2 * r + 1]));
        best = fmaxf(best, __shfl_xor_sync(~0u, best, 1));
        best = fmaxf(best, __shfl_xor_sync(~0u, best, 2));
        less[r] = power((x->most[r] - best) * SCALE);
        x->most[r] = best;
        x->sum[r] *= less[r];
        float base = best * SCALE;
#pragma unroll
        for (int i = 0; i < KEYS / 8; i++)
#pragma unroll
            for (int c = 0; c < 2; c++) {
                float *e = &s[4 * i + 2 * r + c];
                *e = power(*e * SCALE - base);
                x->sum[r] += *e;
            }
    }
}

static __device__ __forceinline__ void pack(unsigned (&p)[KEYS / 4], const float (&s)[KEYS / 2])
{
#pragma unroll
    for (int i = 0; i < KEYS / 4; i++)
        p[i] = two_bf16(s[2 * i], s[2 * i + 1]);
}

static __device__ __forceinline__ void start_scores(float (&s)[KEYS / 2], unsigned long long q,
                                                    const struct ring *k)
{
    unsigned long long from = k->matrix + (unsigned)(k->stage * (BYTES_KV / 16));
    hold(s);
    products_fence();
#pragma unroll
    for (int i = 0; i < D / 16; i++)
        multiply(s, q + (i / 4 * HALF_Q + i % 4 * 32) / 16, from + (i / 4 * HALF_KV + i % 4 * 32) / 16, i == 0);
    products_commit();
}

static __device__ __forceinline__ void start_sums(float (&o)[D / 2], unsigned (&p)[KEYS / 4], const struct ring *v,
                                                  bool anew)
{
    unsigned long long from = v->matrix + (unsigned)(v->stage * (BYTES_KV / 16));
    hold(o);
    hold(p);
    products_fence();
#pragma unroll
    for (int i = 0; i < KEYS / 16; i++)
        multiply_by(o, p + 4 * i, from + i * (16 * 128 / 16), anew && i == 0);
    products_commit();
}

static __device__ __forceinline__ void scale(float (&o)[D / 2], const float (&by)[2])
{
#pragma unroll
    for (int i = 0; i < D / 2; i++)
        o[i] *= by[i / 2 % 2];
}

// The tile with the last keys: those beyond L never count.
static __device__ __forceinline__ void mask(float (&s)[KEYS / 2], int left)
{
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < KEYS / 2; i++)
        if (i / 4 * 8 + lane % 4 * 2 + i % 2 >= left)
            s[i] = LEAST;
}

// Turns at the tensor cores: a consumer's own named barrier opens when the other has started its products.
static __device__ __forceinline__ void turn_wait(int group)
{
    if (TURNS)
        asm volatile("bar.sync %0, 256;" ::"r"(group + 1) : "memory");
}
static __device__ __forceinline__ void turn_pass(int group)
{
    if (TURNS)
        asm volatile("bar.arrive %0, 256;" ::"r"(2 - group) : "memory");
}

// A warp's 16 rows through its part of q's tile, which this warpgroup has done with.
static __device__ __forceinline__ void store_rows(const float (&o)[D / 2], unsigned to, const tensor_map *map,
                                                  int row, int head)
{
#pragma unroll
    for (int h = 0; h < 2; h++)
        put_box(&o[h * 32], to + h * HALF_Q);
    bulk_fence();
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
#pragma unroll
        for (int h = 0; h < 2; h++)
            asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(
                             map),
                         "r"(to + h * HALF_Q), "r"(h * 64), "r"(row), "r"(head)
                         : "memory");
        bulk_commit();
        bulk_wait();
    }
}

// Tiles from the last to the first, so that the one with a rest of keys comes before the loop.
static __device__ __forceinline__ void consume(unsigned q, unsigned q_full, struct ring k, struct ring v, int group,
                                               const tensor_map *map, int row, int head, int tiles, int L)
{
    float o[D / 2], s[KEYS / 2], less[2];
    unsigned p[KEYS / 4];
    struct softmax x = {{LEAST, LEAST}, {0, 0}};
    int warp = threadIdx.x / 32 % 4;
    unsigned mine = q + group * 64 * 128;
    unsigned long long queries = matrix_at(mine, 16);
    k.matrix = matrix_at(k.tiles, 16);
    v.matrix = matrix_at(v.tiles, HALF_KV);
    if (group == 1)
        turn_pass(1); // the first turn is the other's
    barrier_wait(q_full, 0);
    barrier_wait(k.full, 0);
    turn_wait(group);
    start_scores(s, queries, &k);
    products_wait<0>();
    hold(s);
    ring_release(&k);
    if (tiles * KEYS > L)
        mask(s, L - (tiles - 1) * KEYS);
    softmax_step(&x, s, less);
    pack(p, s);
    for (int j = 1; j < tiles; j++) {
        if (OVERLAP) {
            barrier_wait(k.full + 8 * k.stage, k.parity);
            if (j > 1)
                turn_wait(group);
            start_scores(s, queries, &k);
        }
        barrier_wait(v.full + 8 * v.stage, v.parity);
        start_sums(o, p, &v, j == 1);
        if (OVERLAP) {
            turn_pass(group);
            products_wait<1>();
            hold(s);
            ring_release(&k);
            softmax_step(&x, s, less);
            products_wait<0>();
        } else {
            products_wait<0>();
            hold(o);
            ring_release(&v);
            barrier_wait(k.full + 8 * k.stage, k.parity);
            start_scores(s, queries, &k);
            products_wait<0>();
            hold(s);
            ring_release(&k);
            softmax_step(&x, s, less);
        }
        hold(o);
        hold(p);
        if (OVERLAP)
            ring_release(&v);
        scale(o, less);
        pack(p, s);
    }
    barrier_wait(v.full + 8 * v.stage, v.parity);
    if (tiles > 1)
        turn_wait(group);
    start_sums(o, p, &v, tiles == 1);
    if (group == 0)
        turn_pass(0);
    products_wait<0>();
    hold(o);
    hold(p);
#pragma unroll
    for (int r = 0; r < 2; r++) {
        x.sum[r] += __shfl_xor_sync(~0u, x.sum[r], 1);
        x.sum[r] += __shfl_xor_sync(~0u, x.sum[r], 2);
        less[r] = 1 / x.sum[r];
    }
    scale(o, less);
    store_rows(o, mine + warp * 16 * 128, map, row + group * 64 + warp * 16, head);
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
wgmma_attention(MAP o, MAP q, MAP k, MAP v, int L)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    unsigned base = shared_address(shared), tiles_at = base + BYTES_Q, bars = tiles_at + 2 * STAGES * BYTES_KV;
    struct ring ks = {tiles_at, bars + 8, bars + 8 + 8 * STAGES, 0, 0};
    struct ring vs = {tiles_at + STAGES * BYTES_KV, ks.empty + 8 * STAGES, ks.empty + 16 * STAGES, 0, 0};
    int tiles = (L + KEYS - 1) / KEYS, row = blockIdx.x * QUERIES, head = blockIdx.y;
    int group = __shfl_sync(~0u, threadIdx.x / 128, 0); // the same for a warp: descriptors in uniform registers
    if (threadIdx.x == 0) {
        barrier_init(bars, 1);
        for (int s = 0; s < STAGES; s++) {
            barrier_init(ks.full + 8 * s, 1), barrier_init(vs.full + 8 * s, 1);
            barrier_init(ks.empty + 8 * s, CONSUMERS), barrier_init(vs.empty + 8 * s, CONSUMERS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (group == 0) { // registers go to those who multiply
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x == 0) {
            load_rows(base, HALF_Q, &q, bars, row, head);
            ring_fill(&ks, &k, tiles - 1, head);
            for (int j = tiles - 2; j >= 0; j--) {
                ring_fill(&ks, &k, j, head);
                ring_fill(&vs, &v, j + 1, head);
            }
            ring_fill(&vs, &v, 0, head);
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
        consume(base, bars, ks, vs, group - 1, &o, row, head, tiles, L);
    }
}
