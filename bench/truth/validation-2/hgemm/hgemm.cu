// c = a*b^T by the tensor cores, a and b in bf16 with rows of k, c in f32, through mma.sync.m16n8k16. Nothing is tuned on
// these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ void mma(float *c, const unsigned *a, const unsigned *b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ void load4(unsigned *r, const void *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((unsigned)__cvta_generic_to_shared(p)));
}

__device__ void copy16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}

// A warp has 16 x 32 of c and reads its fragments from global memory, words of two numbers.
extern "C" __global__ void hgemm_direct(float *c, const unsigned *a, const unsigned *b, int m, int n, int k)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.y * 32 + warp / 2 * 16, col = blockIdx.x * 64 + warp % 2 * 32;
    if (row >= m || col >= n)
        return;
    int half = k / 2, r = lane / 4, q = lane % 4;
    float sums[4][4] = {};
    for (int i = 0; i < half; i += 8) {
        const unsigned *p = a + (row + r) * half + i + q;
        unsigned fa[4] = {p[0], p[8 * half], p[4], p[8 * half + 4]};
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const unsigned *s = b + (col + j * 8 + r) * half + i + q;
            unsigned fb[2] = {s[0], s[4]};
            mma(sums[j], fa, fb);
        }
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
        float *to = c + (row + r) * n + col + j * 8 + q * 2;
        *(float2 *)to = make_float2(sums[j][0], sums[j][1]);
        *(float2 *)(to + 8 * n) = make_float2(sums[j][2], sums[j][3]);
    }
}

// One step of 32 in depth on a tile of 64 x 64 by four warps of 32 x 32; rows of 40 numbers, so that ldmatrix has no conflicts.
__device__ void step(float (*sums)[4][4], const unsigned short (*as)[40], const unsigned short (*bs)[40], int wy, int wx, int lane)
{
#pragma unroll
    for (int d = 0; d < 32; d += 16) {
        unsigned fa[2][4], fb[2][4];
#pragma unroll
        for (int p = 0; p < 2; p++) {
            load4(fa[p], &as[wy + p * 16 + lane % 16][d + lane / 16 * 8]);
            load4(fb[p], &bs[wx + p * 16 + lane % 8 + lane / 16 * 8][d + lane / 8 % 2 * 8]);
        }
#pragma unroll
        for (int y = 0; y < 2; y++)
#pragma unroll
            for (int x = 0; x < 4; x++)
                mma(sums[y][x], fa[y], fb[x / 2] + x % 2 * 2);
    }
}

__device__ void store(float *c, float (*sums)[4][4], int row, int col, int n, int lane)
{
#pragma unroll
    for (int y = 0; y < 2; y++)
#pragma unroll
        for (int x = 0; x < 4; x++) {
            float *to = c + (row + y * 16 + lane / 4) * n + col + x * 8 + lane % 4 * 2;
            *(float2 *)to = make_float2(sums[y][x][0], sums[y][x][1]);
            *(float2 *)(to + 8 * n) = make_float2(sums[y][x][2], sums[y][x][3]);
        }
}

// Tiles in shared memory, read by ldmatrix.
extern "C" __global__ void __launch_bounds__(128) hgemm_shared(float *c, const unsigned short *a, const unsigned short *b, int m, int n, int k)
{
    __shared__ __align__(16) unsigned short as[64][40], bs[64][40];
    int t = threadIdx.x, warp = t / 32, lane = t % 32, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float sums[2][4][4] = {};
    for (int k0 = 0; k0 < k; k0 += 32) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            int r = t / 4 + i * 32, q = t % 4 * 8;
            *(uint4 *)&as[r][q] = *(const uint4 *)(a + (row0 + r) * k + k0 + q);
            *(uint4 *)&bs[r][q] = *(const uint4 *)(b + (col0 + r) * k + k0 + q);
        }
        __syncthreads();
        step(sums, as, bs, warp / 2 * 32, warp % 2 * 32, lane);
        __syncthreads();
    }
    store(c, sums, row0 + warp / 2 * 32, col0 + warp % 2 * 32, n, lane);
}

// The same with three stages of tiles that cp.async fills ahead.
extern "C" __global__ void __launch_bounds__(128) hgemm_async(float *c, const unsigned short *a, const unsigned short *b, int m, int n, int k)
{
    constexpr int STAGES = 3;
    __shared__ __align__(16) unsigned short as[STAGES][64][40], bs[STAGES][64][40];
    int t = threadIdx.x, warp = t / 32, lane = t % 32, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64, steps = k / 32;
    auto bring = [&](int at) {
        if (at < steps) {
#pragma unroll
            for (int i = 0; i < 2; i++) {
                int r = t / 4 + i * 32, q = t % 4 * 8;
                copy16(&as[at % STAGES][r][q], a + (row0 + r) * k + at * 32 + q);
                copy16(&bs[at % STAGES][r][q], b + (col0 + r) * k + at * 32 + q);
            }
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    float sums[2][4][4] = {};
    bring(0);
    bring(1);
    for (int at = 0; at < steps; at++) {
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        bring(at + 2);
        step(sums, as[at % STAGES], bs[at % STAGES], warp / 2 * 32, warp % 2 * 32, lane);
    }
    store(c, sums, row0 + warp / 2 * 32, col0 + warp % 2 * 32, n, lane);
}
