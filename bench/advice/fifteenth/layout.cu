// Layout and launches: turn48_*, thr32_*, smemroom_*, spill56_*, idx4_*, fuse4_*, sumfew_*, poolany_*, fillmany_*, partatom_*, branchvain_*,
// colstage_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- A matrix turned, read and written directly, by a tile of 32 x 32, and by one with a word more in a row ---- */

extern "C" __global__ void turn48_direct(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x, y0 = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
    for (int y = y0; y < y0 + 32; y += 8)
        out[(size_t)x * h + y] = in[(size_t)y * w + x];
}

template <int WIDE> static __device__ __forceinline__ void turn(const float *in, float *out, int w, int h)
{
    __shared__ float tile[32][WIDE];
    int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
#pragma unroll
    for (int k = 0; k < 32; k += 8)
        tile[ty + k][tx] = in[(size_t)(y0 + ty + k) * w + x0 + tx];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; k += 8)
        out[(size_t)(x0 + ty + k) * h + y0 + tx] = tile[tx][ty + k];
}

extern "C" __global__ void turn48_tile(const float *in, float *out, int w, int h)
{
    turn<32>(in, out, w, h);
}

extern "C" __global__ void turn48_padded(const float *in, float *out, int w, int h)
{
    turn<33>(in, out, w, h);
}

/* ---- Products of two streams and a third, by blocks of 32 and of 256 ---- */

extern "C" __global__ void thr32_stream(const float *a, const float *b, const float *c, float *out)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i] * b[i] + c[i];
}

/* ---- Rows of 512 less their means, with more and less room in shared memory ---- */

extern "C" __global__ void smemroom_rows(const float *in, float *out)
{
    extern __shared__ float row[];
    __shared__ float part[4];
    int t = threadIdx.x;
    float sum = 0.0f;
#pragma unroll
    for (int k = t; k < 512; k += 128)
        sum += row[k] = in[(size_t)blockIdx.x * 512 + k];
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1)
        sum += __shfl_xor_sync(0xffffffff, sum, mask);
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    float mean = ((part[0] + part[1]) + (part[2] + part[3])) / 512.0f;
#pragma unroll
    for (int k = t; k < 512; k += 128)
        out[(size_t)blockIdx.x * 512 + k] = row[k] - mean;
}

/* ---- 56 filters of each number of a stream, added up, with 40 registers and with as many as it needs ---- */

static __device__ __forceinline__ void fiftysix(const float *in, float *out, int steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s[56];
#pragma unroll
    for (int k = 0; k < 56; k++)
        s[k] = 0.0f;
#pragma unroll 1
    for (int j = 0; j < steps; j++) {
        float v = in[(size_t)j * n + i];
#pragma unroll
        for (int k = 0; k < 56; k++)
            s[k] = s[k] * (0.5f + 0.005f * k) + v;
    }
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 56; k++)
        sum += s[k] * s[k];
    out[i] = sum;
}

extern "C" __launch_bounds__(256, 6) __global__ void spill56_bound(const float *in, float *out, int steps, int n)
{
    fiftysix(in, out, steps, n);
}

extern "C" __launch_bounds__(256) __global__ void spill56_free(const float *in, float *out, int steps, int n)
{
    fiftysix(in, out, steps, n);
}

/* ---- Four dimensions in another order, by divisions and by the grid ---- */

extern "C" __global__ void idx4_flat(const unsigned char *in, unsigned char *out, int d1, int d2, int d3, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int l = i % d3, k = i / d3 % d2, j = i / d3 / d2 % d1, b = i / d3 / d2 / d1;
    out[((b * d2 + k) * d1 + j) * d3 + l] = in[i];
}

extern "C" __global__ void idx4_grid(const unsigned char *in, unsigned char *out, int d1, int d2, int d3)
{
    int l = blockIdx.x * 128 + threadIdx.x, k = blockIdx.y * 2 + threadIdx.y, j = blockIdx.z % d1, b = blockIdx.z / d1;
    out[((b * d2 + k) * d1 + j) * d3 + l] = in[((b * d1 + j) * d2 + k) * d3 + l];
}

/* ---- Four steps on a stream, one a launch and all in one ---- */

extern "C" __global__ void fuse4_scale(const float4 *in, float4 *out)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    out[i] = make_float4(2.0f * v.x, 2.0f * v.y, 2.0f * v.z, 2.0f * v.w);
}

extern "C" __global__ void fuse4_shift(const float4 *in, float4 *out)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    out[i] = make_float4(v.x - 0.5f, v.y - 0.5f, v.z - 0.5f, v.w - 0.5f);
}

extern "C" __global__ void fuse4_square(const float4 *in, float4 *out)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    out[i] = make_float4(v.x * v.x, v.y * v.y, v.z * v.z, v.w * v.w);
}

extern "C" __global__ void fuse4_clip(const float4 *in, float4 *out)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    out[i] = make_float4(fminf(v.x, 1.0f), fminf(v.y, 1.0f), fminf(v.z, 1.0f), fminf(v.w, 1.0f));
}

static __device__ __forceinline__ float all_four(float v)
{
    v = 2.0f * v - 0.5f;
    return fminf(v * v, 1.0f);
}

extern "C" __global__ void fuse4_all(const float4 *in, float4 *out)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    out[i] = make_float4(all_four(v.x), all_four(v.y), all_four(v.z), all_four(v.w));
}

/* ---- The sum of squared differences, by one block of 256 an SM ---- */

static __device__ __forceinline__ void add_all(float sum, float *total)
{
    __shared__ float part[8];
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1)
        sum += __shfl_xor_sync(0xffffffff, sum, mask);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            sum += part[w];
        atomicAdd(total, sum);
    }
}

extern "C" __global__ void sumfew_one(const float *a, const float *b, float *total, int n)
{
    float sum = 0.0f;
#pragma unroll 1
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    add_all(sum, total);
}

extern "C" __global__ void sumfew_eight(const float *a, const float *b, float *total, int n)
{
    float sum = 0.0f;
    int step = gridDim.x * 256, i = blockIdx.x * 256 + threadIdx.x;
    for (; i + 7 * step < n; i += 8 * step) {
        float d[8];
#pragma unroll
        for (int k = 0; k < 8; k++)
            d[k] = a[i + k * step] - b[i + k * step];
#pragma unroll
        for (int k = 0; k < 8; k++)
            sum += d[k] * d[k];
    }
    for (; i < n; i += step)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    add_all(sum, total);
}

/* ---- The greatest of windows of pixels, of sizes that are parameters and of 3 x 3 ---- */

extern "C" __global__ void poolany_any(const float *in, float *out, int w, int h, int size, int pad)
{
    int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y;
    float most = -1e30f;
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++) {
            int u = x + i - pad, v = y + j - pad;
            if (u >= 0 && u < w && v >= 0 && v < h)
                most = fmaxf(most, in[(size_t)v * w + u]);
        }
    out[(size_t)y * w + x] = most;
}

// Places outside are moved to the edge, which is in the window too.
extern "C" __global__ void poolany_three(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y, left = max(x - 1, 0), right = min(x + 1, w - 1);
    const float *above = in + (size_t)max(y - 1, 0) * w, *here = in + (size_t)y * w, *below = in + (size_t)min(y + 1, h - 1) * w;
    float a = fmaxf(fmaxf(above[left], above[x]), above[right]), b = fmaxf(fmaxf(here[left], here[x]), here[right]);
    out[(size_t)y * w + x] = fmaxf(fmaxf(a, b), fmaxf(fmaxf(below[left], below[x]), below[right]));
}

/* ---- Rows of 1024 filled by their own numbers, a launch a row and one for all ---- */

extern "C" __global__ void fillmany_row(const float *value, float *out, int row)
{
    out[row * 1024 + blockIdx.x * 256 + threadIdx.x] = value[row];
}

extern "C" __global__ void fillmany_all(const float *value, float *out)
{
    out[blockIdx.y * 1024 + blockIdx.x * 256 + threadIdx.x] = value[blockIdx.y];
}

/* ---- A sum of parts of 8192, an atomic a block and a launch more ---- */

static __device__ __forceinline__ float part_sum(const float4 *in)
{
    __shared__ float part[8];
    float4 v[8];
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; k++)
        v[k] = in[(size_t)blockIdx.x * 2048 + k * 256 + threadIdx.x];
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum += (v[k].x + v[k].y) + (v[k].z + v[k].w);
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1)
        sum += __shfl_xor_sync(0xffffffff, sum, mask);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int w = 1; w < 8; w++)
            sum += part[w];
    return sum;
}

extern "C" __global__ void partatom_atomic(const float4 *in, float *total)
{
    float sum = part_sum(in);
    if (threadIdx.x == 0)
        atomicAdd(total, sum);
}

extern "C" __global__ void partatom_parts(const float4 *in, float *sums)
{
    float sum = part_sum(in);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

extern "C" __global__ void partatom_join(const float *sums, float *total, int parts)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = t; i < parts; i += 256)
        sum += sums[i];
    part[t] = sum;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        *total = part[0];
}

/* ---- A stream by one of two short ways, with a branch and without ---- */

extern "C" __global__ void branchvain_branch(const float4 *in, float4 *out)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    if (v.x > 0.0f) {
        float s = rsqrtf(v.x * v.x + v.y * v.y + v.z * v.z + 1.0f);
        v = make_float4(v.x * s, v.y * s, v.z * s, v.w);
    } else {
        float s = rsqrtf(v.w * v.w + v.y * v.y + 2.0f);
        v = make_float4(v.x + s, v.y - s, v.z + s * v.w, v.w * s);
    }
    out[i] = v;
}

extern "C" __global__ void branchvain_select(const float4 *in, float4 *out)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    bool first = v.x > 0.0f;
    float s = rsqrtf(first ? v.x * v.x + v.y * v.y + v.z * v.z + 1.0f : v.w * v.w + v.y * v.y + 2.0f);
    out[i] = make_float4(first ? v.x * s : v.x + s, first ? v.y * s : v.y - s, first ? v.z * s : v.z + s * v.w, first ? v.w : v.w * s);
}

/* ---- The highest of the sums along rows of 32, out of a tile in shared memory ---- */

template <int WIDE> static __device__ __forceinline__ void highest(const float *in, float *out)
{
    __shared__ float tile[128][WIDE];
    int t = threadIdx.x;
    size_t first = (size_t)blockIdx.x * 128;
#pragma unroll 8
    for (int i = t; i < 4096; i += 128)
        tile[i / 32][i % 32] = in[(first + i / 32) * 32 + i % 32];
    __syncthreads();
    float most = 0.0f, sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 32; k++) {
        sum += tile[t][k];
        most = fmaxf(most, sum);
    }
    out[first + t] = most;
}

extern "C" __global__ void colstage_rows(const float *in, float *out)
{
    highest<32>(in, out);
}

extern "C" __global__ void colstage_padded(const float *in, float *out)
{
    highest<33>(in, out);
}
