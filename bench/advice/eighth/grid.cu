// Grids and pictures: wrap_*, conv5_*, dilate_*, fd3d_*, heat5_*, batches_*, dct_*, dct8_*, hog_*, luma_*, hconv_*, hheat_*. Each
// pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

/* ---- Five points on a torus ------------------------------------------------------------------------------------------------ */

extern "C" __global__ void wrap_modulo(float *out, const float *in, int w, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= w * h)
        return;
    int x = i % w, y = i / w;
    float sum = in[y * w + (x + 1) % w] + in[y * w + (x + w - 1) % w] + in[(y + 1) % h * w + x] + in[(y + h - 1) % h * w + x];
    out[i] = 0.25f * sum - in[i];
}

extern "C" __global__ void wrap_select(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w)
        return;
    int right = x == w - 1 ? 0 : x + 1, left = x == 0 ? w - 1 : x - 1, below = y == h - 1 ? 0 : y + 1, above = y == 0 ? h - 1 : y - 1;
    float sum = in[y * w + right] + in[y * w + left] + in[below * w + x] + in[above * w + x];
    out[y * w + x] = 0.25f * sum - in[y * w + x];
}

/* ---- 5 x 5 taps; the input has a border of four to the right and below ---------------------------------------------------------- */

extern "C" __global__ void conv5_global(float *out, const float *in, const float *filter, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float sum = 0.0f;
    for (int r = 0; r < 5; ++r)
        for (int s = 0; s < 5; ++s)
            sum += in[(y + r) * (w + 4) + x + s] * filter[r * 5 + s];
    out[y * w + x] = sum;
}

__constant__ float taps[25];

extern "C" __global__ void conv5_constant(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float sum = 0.0f;
    for (int r = 0; r < 5; ++r)
        for (int s = 0; s < 5; ++s)
            sum += in[(y + r) * (w + 4) + x + s] * taps[r * 5 + s];
    out[y * w + x] = sum;
}

/* ---- The largest of 15 x 15 neighbours ---------------------------------------------------------------------------------------------- */

enum { REACH = 7 };

extern "C" __global__ void dilate_direct(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float most = 0.0f;
    for (int dy = -REACH; dy <= REACH; ++dy)
        for (int dx = -REACH; dx <= REACH; ++dx)
            if (x + dx >= 0 && x + dx < w && y + dy >= 0 && y + dy < h)
                most = fmaxf(most, in[(y + dy) * w + x + dx]);
    out[y * w + x] = most;
}

extern "C" __global__ void dilate_tile(float *out, const float *in, int w, int h)
{
    __shared__ float tile[8 + 2 * REACH][32 + 2 * REACH];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
    for (int r = ty; r < 8 + 2 * REACH; r += 8)
        for (int c = tx; c < 32 + 2 * REACH; c += 32) {
            int xx = blockIdx.x * 32 + c - REACH, yy = blockIdx.y * 8 + r - REACH;
            tile[r][c] = xx >= 0 && xx < w && yy >= 0 && yy < h ? in[yy * w + xx] : 0.0f;
        }
    __syncthreads();
    float most = 0.0f;
    for (int dy = 0; dy <= 2 * REACH; ++dy)
        for (int dx = 0; dx <= 2 * REACH; ++dx)
            most = fmaxf(most, tile[ty + dy][tx + dx]);
    if (x < w && y < h)
        out[y * w + x] = most;
}

/* ---- 25 points in three dimensions, four each way; a border of four all round; a thread 16 planes deep --------------------------------- */

enum { DEEP = 16 };

static __device__ __forceinline__ float weight(int r)
{
    const float of[5] = {-2.5f, 0.8f, -0.1f, 0.0125f, -0.0009f};
    return of[r];
}

extern "C" __global__ void fd3d_direct(float *out, const float *in, int w, int h)
{
    int pitch = w + 8, plane = pitch * (h + 8);
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * DEEP;
    if (x >= w || y >= h)
        return;
    const float *at = in + (z + 4) * plane + (y + 4) * pitch + x + 4;
    float *to = out + (z * h + y) * w + x;
    for (int k = 0; k < DEEP; ++k, at += plane, to += w * h) {
        float sum = 3 * weight(0) * at[0];
#pragma unroll
        for (int r = 1; r <= 4; ++r)
            sum += weight(r) * (at[r] + at[-r] + at[r * pitch] + at[-r * pitch] + at[r * plane] + at[-r * plane]);
        *to = sum;
    }
}

// The nine numbers of a column stay in registers and move up.
extern "C" __global__ void fd3d_queue(float *out, const float *in, int w, int h)
{
    int pitch = w + 8, plane = pitch * (h + 8);
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * DEEP;
    if (x >= w || y >= h)
        return;
    const float *at = in + (z + 4) * plane + (y + 4) * pitch + x + 4;
    float *to = out + (z * h + y) * w + x;
    float q[9];
#pragma unroll
    for (int r = 0; r < 8; ++r)
        q[r + 1] = at[(r - 4) * plane];
    for (int k = 0; k < DEEP; ++k, at += plane, to += w * h) {
#pragma unroll
        for (int r = 0; r < 8; ++r)
            q[r] = q[r + 1];
        q[8] = at[4 * plane];
        float sum = 3 * weight(0) * q[4];
#pragma unroll
        for (int r = 1; r <= 4; ++r)
            sum += weight(r) * (at[r] + at[-r] + at[r * pitch] + at[-r * pitch] + q[4 + r] + q[4 - r]);
        *to = sum;
    }
}

// Multiples of 32 and 8.
extern "C" __global__ void fd3d_tile(float *out, const float *in, int w, int h)
{
    __shared__ float tile[16][40];
    int pitch = w + 8, plane = pitch * (h + 8), tx = threadIdx.x + 4, ty = threadIdx.y + 4;
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * DEEP;
    const float *at = in + (z + 4) * plane + (y + 4) * pitch + x + 4;
    float *to = out + (z * h + y) * w + x;
    float q[9];
#pragma unroll
    for (int r = 0; r < 8; ++r)
        q[r + 1] = at[(r - 4) * plane];
    for (int k = 0; k < DEEP; ++k, at += plane, to += w * h) {
#pragma unroll
        for (int r = 0; r < 8; ++r)
            q[r] = q[r + 1];
        q[8] = at[4 * plane];
        __syncthreads();
        tile[ty][tx] = q[4];
        if (threadIdx.x < 4) {
            tile[ty][tx - 4] = at[-4];
            tile[ty][tx + 32] = at[32];
        }
        if (threadIdx.y < 4) {
            tile[ty - 4][tx] = at[-4 * pitch];
            tile[ty + 8][tx] = at[8 * pitch];
        }
        __syncthreads();
        float sum = 3 * weight(0) * q[4];
#pragma unroll
        for (int r = 1; r <= 4; ++r)
            sum += weight(r) *
                   (tile[ty][tx + r] + tile[ty][tx - r] + tile[ty + r][tx] + tile[ty - r][tx] + q[4 + r] + q[4 - r]);
        *to = sum;
    }
}

/* ---- A step of heat; the border stays ------------------------------------------------------------------------------------------------------ */

extern "C" __global__ void heat5_direct(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int i = y * w + x;
    float v = in[i];
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
        v += 0.2f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w] - 4.0f * v);
    out[i] = v;
}

extern "C" __global__ void heat5_tile(float *out, const float *in, int w, int h)
{
    __shared__ float tile[10][34];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = blockIdx.x * 32 + tx - 1, y = blockIdx.y * 8 + ty - 1, i = y * w + x;
    bool here = x < w && y < h;
    float v = here ? in[i] : 0.0f;
    tile[ty][tx] = v;
    if (tx == 1 && x > 0 && y < h)
        tile[ty][0] = in[i - 1];
    if (tx == 32 && x < w - 1 && y < h)
        tile[ty][33] = in[i + 1];
    if (ty == 1 && y > 0 && x < w)
        tile[0][tx] = in[i - w];
    if (ty == 8 && y < h - 1 && x < w)
        tile[9][tx] = in[i + w];
    __syncthreads();
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
        v += 0.2f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] - 4.0f * v);
    if (here)
        out[i] = v;
}

/* ---- Batches through shared memory, by one block an SM: 128 KiB at a time, or halves in turn ---------------------------------------------------- */

enum { BATCH = 32768, HALF = BATCH / 2 };

static __device__ __forceinline__ float settled(float v)
{
#pragma unroll
    for (int k = 0; k < 48; ++k)
        v = 0.5f * v * v + 0.2f;
    return v;
}

static __device__ __forceinline__ void compute(float4 *out, const float4 *shared, int fours)
{
    for (int i = threadIdx.x; i < fours; i += blockDim.x) {
        float4 v = shared[i];
        out[i] = make_float4(settled(v.x), settled(v.y), settled(v.z), settled(v.w));
    }
}

extern "C" __global__ void batches_whole(float4 *out, const float4 *in, int rounds)
{
    extern __shared__ float4 own[];
    for (int r = 0; r < rounds; ++r) {
        size_t first = (size_t)(r * gridDim.x + blockIdx.x) * (BATCH / 4);
        for (int i = threadIdx.x; i < BATCH / 4; i += blockDim.x)
            own[i] = in[first + i];
        __syncthreads();
        compute(out + first, own, BATCH / 4);
        __syncthreads();
    }
}

static __device__ __forceinline__ void fetch(float4 *to, const float4 *from)
{
    for (int i = threadIdx.x; i < HALF / 4; i += blockDim.x)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(&to[i])), "l"(&from[i]));
    asm volatile("cp.async.commit_group;");
}

extern "C" __global__ void batches_halves(float4 *out, const float4 *in, int rounds)
{
    extern __shared__ float4 own[];
    fetch(own, in + (size_t)blockIdx.x * (HALF / 4));
    for (int r = 0; r < 2 * rounds; ++r) {
        size_t first = (size_t)(r * gridDim.x + blockIdx.x) * (HALF / 4);
        if (r + 1 < 2 * rounds) {
            fetch(own + (r + 1) % 2 * (HALF / 4), in + first + (size_t)gridDim.x * (HALF / 4));
            asm volatile("cp.async.wait_group 1;");
        } else {
            asm volatile("cp.async.wait_group 0;");
        }
        __syncthreads();
        compute(out + first, own + r % 2 * (HALF / 4), HALF / 4);
        __syncthreads();
    }
}

/* ---- Cosine transforms of 8 x 8 pixels, which lie behind each other: by the formula ------------------------------------------------------------------- */

static __device__ __forceinline__ float norm(int u)
{
    return u == 0 ? 0.35355339f : 0.5f;
}

// A thread a coefficient, four transforms a block of 256.
extern "C" __global__ void dct_cosines(float *out, const float *in)
{
    __shared__ float px[256];
    int t = threadIdx.x, u = t % 8, v = t / 8 % 8, first = t / 64 * 64;
    px[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    float sum = 0.0f;
    for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 8; ++x)
            sum += px[first + y * 8 + x] * cosf((2 * x + 1) * u * 0.19634954f) * cosf((2 * y + 1) * v * 0.19634954f);
    out[blockIdx.x * 256 + t] = norm(u) * norm(v) * sum;
}

extern "C" __global__ void dct_table(float *out, const float *in)
{
    __shared__ float px[256], cosine[64];
    int t = threadIdx.x, u = t % 8, v = t / 8 % 8, first = t / 64 * 64;
    px[t] = in[blockIdx.x * 256 + t];
    if (t < 64)
        cosine[t] = cosf((2 * (t / 8) + 1) * (t % 8) * 0.19634954f);
    __syncthreads();
    float sum = 0.0f;
    for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 8; ++x)
            sum += px[first + y * 8 + x] * cosine[x * 8 + u] * cosine[y * 8 + v];
    out[blockIdx.x * 256 + t] = norm(u) * norm(v) * sum;
}

/* ---- The same by rows and columns, a thread each: 32 transforms a block of 256 ------------------------------------------------------------------------------ */

// Eight numbers STEP apart, in place.
template <int STEP>
static __device__ __forceinline__ void dct_line(float *at)
{
    const float c[8] = {1.0f, 0.98078528f, 0.92387953f, 0.83146961f, 0.70710678f, 0.55557023f, 0.38268343f, 0.19509032f};
    float v[8];
#pragma unroll
    for (int k = 0; k < 8; ++k)
        v[k] = at[k * STEP];
#pragma unroll
    for (int u = 0; u < 8; ++u) {
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            int angle = (2 * k + 1) * u % 32; // in 16ths of pi
            int folded = angle > 16 ? 32 - angle : angle;
            sum += folded > 8 ? -v[k] * c[16 - folded] : folded == 8 ? 0.0f : v[k] * c[folded];
        }
        at[u * STEP] = norm(u) * sum;
    }
}

template <int PITCH>
static __device__ __forceinline__ void dct_both(float *out, const float *in)
{
    __shared__ float px[32 * 8 * PITCH];
    int t = threadIdx.x;
    size_t first = (size_t)blockIdx.x * 2048;
#pragma unroll
    for (int i = t; i < 2048; i += 256)
        px[i / 8 * PITCH + i % 8] = in[first + i];
    __syncthreads();
    dct_line<1>(&px[t * PITCH]);
    __syncthreads();
    dct_line<PITCH>(&px[t / 8 * 8 * PITCH + t % 8]);
    __syncthreads();
#pragma unroll
    for (int i = t; i < 2048; i += 256)
        out[first + i] = px[i / 8 * PITCH + i % 8];
}

extern "C" __global__ void dct8_dense(float *out, const float *in)
{
    dct_both<8>(out, in);
}

extern "C" __global__ void dct8_padded(float *out, const float *in)
{
    dct_both<9>(out, in);
}

/* ---- Histograms of eight directions of gradients, weighted by their size, of fields of 64 x 64 ------------------------------------------------------------------ */

// The picture has a border of one to the right and below.
static __device__ __forceinline__ int direction(const int *in, int at, int pitch, float *size)
{
    int gx = in[at + 1] - in[at], gy = in[at + pitch] - in[at];
    *size = abs(gx) + abs(gy);
    return (gx < 0) | (gy < 0) << 1 | (abs(gx) < abs(gy)) << 2;
}

extern "C" __global__ void hog_atomics(float *out, const int *in, int w)
{
    __shared__ float bins[8];
    if (threadIdx.x < 8)
        bins[threadIdx.x] = 0.0f;
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) {
        float size;
        int bin = direction(in, (blockIdx.y * 64 + i / 64) * (w + 1) + blockIdx.x * 64 + i % 64, w + 1, &size);
        atomicAdd(&bins[bin], size);
    }
    __syncthreads();
    if (threadIdx.x < 8)
        out[(blockIdx.y * gridDim.x + blockIdx.x) * 8 + threadIdx.x] = bins[threadIdx.x];
}

extern "C" __global__ void hog_private(float *out, const int *in, int w)
{
    __shared__ float bins[8][256];
    for (int b = 0; b < 8; ++b)
        bins[b][threadIdx.x] = 0.0f;
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) {
        float size;
        int bin = direction(in, (blockIdx.y * 64 + i / 64) * (w + 1) + blockIdx.x * 64 + i % 64, w + 1, &size);
        bins[bin][threadIdx.x] += size;
    }
    __syncthreads();
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32; // a warp a direction
    float sum = 0.0f;
    for (int i = lane; i < 256; i += 32)
        sum += bins[warp][i];
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0)
        out[(blockIdx.y * gridDim.x + blockIdx.x) * 8 + warp] = sum;
}

/* ---- How often each brightness is in a picture of four bytes a pixel -------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ int brightness(unsigned px)
{
    return ((px & 255) * 77 + (px >> 8 & 255) * 150 + (px >> 16 & 255) * 29) >> 8;
}

extern "C" __global__ void luma_global(unsigned *bins, const unsigned *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[brightness(in[i])], 1u);
}

extern "C" __global__ void luma_shared(unsigned *bins, const unsigned *in, int n)
{
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[brightness(in[i])], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

/* ---- 16 taps along the time of 256 channels, in half ---------------------------------------------------------------------------------------------------------------------- */

extern "C" __global__ void hconv_scalar(__half *out, const __half *x, const __half *w)
{
    size_t at = (size_t)blockIdx.x * 256 + threadIdx.x;
    __half sum = __float2half(0.0f);
#pragma unroll
    for (int k = 0; k < 16; ++k)
        sum = __hfma(w[k * 256 + threadIdx.x], x[at + k * 256], sum);
    out[at] = sum;
}

extern "C" __global__ void hconv_pairs(__half2 *out, const __half2 *x, const __half2 *w)
{
    size_t at = (size_t)blockIdx.x * 256 + threadIdx.x; // two steps a block
    __half2 sum = __float2half2_rn(0.0f);
#pragma unroll
    for (int k = 0; k < 16; ++k)
        sum = __hfma2(w[k * 128 + threadIdx.x % 128], x[at + k * 128], sum);
    out[at] = sum;
}

/* ---- 64 steps of heat on rods of 512 cells whose ends stay, in half, two cells a thread --------------------------------------------------------------------------------------- */

extern "C" __global__ void hheat_scalar(__half *out, const __half *in)
{
    __shared__ __half u[2][512];
    int t = threadIdx.x;
    size_t first = (size_t)blockIdx.x * 512;
    const __half quarter = __float2half(0.25f);
    u[0][2 * t] = u[1][2 * t] = in[first + 2 * t];
    u[0][2 * t + 1] = u[1][2 * t + 1] = in[first + 2 * t + 1];
    __syncthreads();
    for (int s = 0; s < 64; ++s) {
        const __half *from = u[s % 2];
        __half *to = u[(s + 1) % 2], a = from[2 * t], b = from[2 * t + 1];
        if (t > 0)
            to[2 * t] = __hfma(quarter, __hsub(__hadd(from[2 * t - 1], b), __hadd(a, a)), a);
        if (t < 255)
            to[2 * t + 1] = __hfma(quarter, __hsub(__hadd(a, from[2 * t + 2]), __hadd(b, b)), b);
        __syncthreads();
    }
    out[first + 2 * t] = u[0][2 * t];
    out[first + 2 * t + 1] = u[0][2 * t + 1];
}

extern "C" __global__ void hheat_pairs(__half2 *out, const __half2 *in)
{
    __shared__ __half2 u[2][256];
    int t = threadIdx.x;
    size_t first = (size_t)blockIdx.x * 256;
    const __half2 quarter = __float2half2_rn(0.25f);
    u[0][t] = u[1][t] = in[first + t];
    __syncthreads();
    for (int s = 0; s < 64; ++s) {
        const __half2 *from = u[s % 2];
        __half2 own = from[t], left = from[max(t - 1, 0)], right = from[min(t + 1, 255)];
        __half2 before = __halves2half2(__high2half(left), __low2half(own));
        __half2 after = __halves2half2(__high2half(own), __low2half(right));
        __half2 next = __hfma2(quarter, __hsub2(__hadd2(before, after), __hadd2(own, own)), own);
        if (t == 0)
            next = __halves2half2(__low2half(own), __high2half(next));
        if (t == 255)
            next = __halves2half2(__low2half(next), __high2half(own));
        u[(s + 1) % 2][t] = next;
        __syncthreads();
    }
    out[first + t] = u[0][t];
}
