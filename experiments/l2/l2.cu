// A stream beside a table that is read again and again: each quad of `in` is added to the quad of a table's row, a row
// of 128 floats for each warp's 128 elements, chosen by a hash. The table fits the L2; the stream, which passes
// through it, is much larger.
//   plain_rows      no hints
//   streamed_rows   the stream's loads and stores are marked to leave first (evict_first)
//   kept_rows       the table's loads are marked to stay (evict_last), by a policy
//   both_rows       both
// SPDX-License-Identifier: Apache-2.0
#define WARP 32
#define ROW 128 // floats

static __device__ unsigned row_of(unsigned warp, unsigned rows)
{
    unsigned x = warp * 2654435761u;
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    return x % rows;
}

static __device__ unsigned long long policy_last(void)
{
    unsigned long long policy;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

static __device__ float4 load_by(const float4 *p, unsigned long long policy)
{
    float4 v;
    asm volatile("ld.global.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(p), "l"(policy));
    return v;
}

static __device__ float4 sum(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

// Four rows a warp, so that each lane has eight loads in flight. n is a multiple of ROW.
#define EACH 4
template <bool STREAM, bool KEEP>
static __device__ void rows(float4 *out, const float4 *in, const float4 *table, long long n,
                            unsigned table_rows)
{
    unsigned lane = threadIdx.x % WARP;
    long long warp = (blockIdx.x * (long long)blockDim.x + threadIdx.x) / WARP * EACH;
    unsigned long long policy = KEEP ? policy_last() : 0;
    float4 a[EACH], b[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if ((warp + e) * ROW < n) {
            const float4 *from = in + (warp + e) * WARP + lane;
            const float4 *row = table + row_of((unsigned)(warp + e), table_rows) * WARP + lane;
            a[e] = STREAM ? __ldcs(from) : *from;
            b[e] = KEEP ? load_by(row, policy) : *row;
        }
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if ((warp + e) * ROW < n) {
            float4 *to = out + (warp + e) * WARP + lane;
            if (STREAM)
                __stcs(to, sum(a[e], b[e]));
            else
                *to = sum(a[e], b[e]);
        }
}

extern "C" __global__ void plain_rows(float4 *out, const float4 *in, const float4 *table, long long n,
                                      unsigned table_rows)
{
    rows<false, false>(out, in, table, n, table_rows);
}

extern "C" __global__ void streamed_rows(float4 *out, const float4 *in, const float4 *table,
                                         long long n, unsigned table_rows)
{
    rows<true, false>(out, in, table, n, table_rows);
}

extern "C" __global__ void kept_rows(float4 *out, const float4 *in, const float4 *table, long long n,
                                     unsigned table_rows)
{
    rows<false, true>(out, in, table, n, table_rows);
}

extern "C" __global__ void both_rows(float4 *out, const float4 *in, const float4 *table, long long n,
                                     unsigned table_rows)
{
    rows<true, true>(out, in, table, n, table_rows);
}
