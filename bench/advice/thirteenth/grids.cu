// Grids: fivesteps_*, axis17_*, upwind_*, brussel_*, gausswhole_*, gradangle_*, erode3_*, bilin4_*, rowsat_*, edtcol_*,
// anyradii_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- Steps of a five-point mean; the rim stays ---- */

extern "C" __global__ void fivesteps_copy(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

extern "C" __global__ void fivesteps_step(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    const float *p = in + y * w + x;
    bool rim = x == 0 || y == 0 || x == w - 1 || y == h - 1;
    out[y * w + x] = rim ? *p : 0.2f * (*p + p[-1] + p[1] + p[-w] + p[w]);
}

// Four steps of 24 x 24 cells, in a tile of 32 x 32.
extern "C" __global__ void fivesteps_four(float *out, const float *in, int w, int h)
{
    __shared__ float tile[2][32][33];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 24 + tx - 4, y = blockIdx.y * 24 + ty - 4;
    bool inside = x >= 0 && y >= 0 && x < w && y < h;
    bool moves = x > 0 && y > 0 && x < w - 1 && y < h - 1 && tx > 0 && ty > 0 && tx < 31 && ty < 31;
    float v = inside ? in[y * w + x] : 0.0f;
    tile[0][ty][tx] = v;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        __syncthreads();
        float(*t)[33] = tile[k % 2];
        if (moves)
            v = 0.2f * (v + t[ty][tx - 1] + t[ty][tx + 1] + t[ty - 1][tx] + t[ty + 1][tx]);
        tile[1 - k % 2][ty][tx] = v;
    }
    if (inside && tx >= 4 && ty >= 4 && tx < 28 && ty < 28)
        out[y * w + x] = v;
}

/* ---- 17 points along the slowest axis; a thread goes along it ---- */

extern "C" __global__ void axis17_loads(float *out, const float *in, int plane, int nz)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int z = 0; z < nz; z++) {
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < 17; k++)
            sum += in[(z + k) * plane + i] * (1.0f / (k + 2));
        out[z * plane + i] = sum;
    }
}

extern "C" __global__ void axis17_queue(float *out, const float *in, int plane, int nz)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[17];
#pragma unroll
    for (int k = 0; k < 16; k++)
        v[k + 1] = in[k * plane + i];
    for (int z = 0; z < nz; z++) {
#pragma unroll
        for (int k = 0; k < 16; k++)
            v[k] = v[k + 1];
        v[16] = in[(z + 16) * plane + i];
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < 17; k++)
            sum += v[k] * (1.0f / (k + 2));
        out[z * plane + i] = sum;
    }
}

/* ---- Advection, against the wind ---- */

extern "C" __global__ void upwind_branch(float *out, const float *c, const float *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float d;
    if (u[i] > 0.0f)
        d = c[i + 1] - c[i];
    else
        d = c[i + 2] - c[i + 1];
    out[i] = c[i + 1] - 0.1f * u[i] * d;
}

extern "C" __global__ void upwind_parts(float *out, const float *c, const float *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = u[i], here = c[i + 1];
    out[i] = here - 0.1f * (fmaxf(v, 0.0f) * (here - c[i]) + fminf(v, 0.0f) * (c[i + 2] - here));
}

/* ---- Eight small steps of the Brusselator in each cell ---- */

extern "C" __global__ void brussel_double(float *u2, float *v2, const float *u1, const float *v1, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float u = u1[i], v = v1[i];
    for (int k = 0; k < 8; k++) {
        float r = u * u * v;
        u += 0.01 * (1.0 + r - 3.3 * u);
        v += 0.01 * (2.3 * u - r);
    }
    u2[i] = u;
    v2[i] = v;
}

extern "C" __global__ void brussel_float(float *u2, float *v2, const float *u1, const float *v1, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float u = u1[i], v = v1[i];
    for (int k = 0; k < 8; k++) {
        float r = u * u * v;
        u += 0.01f * (1.0f + r - 3.3f * u);
        v += 0.01f * (2.3f * u - r);
    }
    u2[i] = u;
    v2[i] = v;
}

/* ---- A Gauss filter of 9 x 9; in has a rim of four ---- */

static __device__ __forceinline__ float bell(int k)
{
    const float weight[9] = {0.0278f, 0.0656f, 0.1209f, 0.1747f, 0.2220f, 0.1747f, 0.1209f, 0.0656f, 0.0278f};
    return weight[k];
}

extern "C" __global__ void gausswhole_whole(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int dy = 0; dy < 9; dy++)
#pragma unroll
        for (int dx = 0; dx < 9; dx++)
            sum += bell(dy) * bell(dx) * in[(y + dy) * (w + 8) + x + dx];
    out[y * w + x] = sum;
}

extern "C" __global__ void gausswhole_rows(float *between, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h + 8)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int dx = 0; dx < 9; dx++)
        sum += bell(dx) * in[y * (w + 8) + x + dx];
    between[y * w + x] = sum;
}

extern "C" __global__ void gausswhole_columns(float *out, const float *between, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int dy = 0; dy < 9; dy++)
        sum += bell(dy) * between[(y + dy) * w + x];
    out[y * w + x] = sum;
}

/* ---- The angle of the gradient of bytes ---- */

extern "C" __global__ void gradangle_exact(float *out, const unsigned char *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w)
        return;
    const unsigned char *p = in + (y + 1) * (w + 2) + x + 1;
    float dx = (float)p[1] - p[-1], dy = (float)p[w + 2] - p[-w - 2];
    out[y * w + x] = acosf(dx / (sqrtf(dx * dx + dy * dy) + 0.001f));
}

// acos by its root and three terms, to 0.0001 (Abramowitz and Stegun 4.4.45).
extern "C" __global__ void gradangle_fast(float *out, const unsigned char *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w)
        return;
    const unsigned char *p = in + (y + 1) * (w + 2) + x + 1;
    float dx = (float)p[1] - p[-1], dy = (float)p[w + 2] - p[-w - 2], squares = dx * dx + dy * dy + 1e-12f;
    float c = __fdividef(dx, squares * rsqrtf(squares) + 0.001f), a = fabsf(c), q = 1.0f - a + 1e-12f;
    float angle = q * rsqrtf(q) * (1.5707288f + a * (-0.2121144f + a * (0.0742610f - 0.0187293f * a)));
    out[y * w + x] = c < 0.0f ? 3.14159265f - angle : angle;
}

/* ---- The least of 3 x 3; in has a rim of one ---- */

extern "C" __global__ void erode3_direct(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float least = in[y * (w + 2) + x];
#pragma unroll
    for (int k = 1; k < 9; k++)
        least = fminf(least, in[(y + k / 3) * (w + 2) + x + k % 3]);
    out[y * w + x] = least;
}

extern "C" __global__ void erode3_tile(float *out, const float *in, int w, int h)
{
    __shared__ float tile[10][34];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32, y = blockIdx.y * 8;
    for (int i = ty * 32 + tx; i < 340; i += 256)
        tile[i / 34][i % 34] = in[(y + i / 34) * (w + 2) + x + i % 34];
    __syncthreads();
    float least = tile[ty][tx];
#pragma unroll
    for (int k = 1; k < 9; k++)
        least = fminf(least, tile[ty + k / 3][tx + k % 3]);
    out[(y + ty) * w + x + tx] = least;
}

/* ---- Pictures of four bytes a pixel to one and a half times their size; w and h are those of the result ---- */

extern "C" __global__ void bilin4_bytes(unsigned char *out, const unsigned char *in, int w, int h, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, x = i / 4, c = i % 4;
    if (x >= w)
        return;
    float fx = x * (2.0f / 3.0f), fy = y * (2.0f / 3.0f);
    int x0 = (int)fx, y0 = (int)fy;
    const unsigned char *p = in + (y0 * stride + x0) * 4 + c;
    fx -= x0;
    fy -= y0;
    float top = p[0] + fx * (p[4] - p[0]), low = p[4 * stride] + fx * (p[4 * stride + 4] - p[4 * stride]);
    out[(y * w + x) * 4 + c] = (unsigned char)(top + fy * (low - top) + 0.5f);
}

static __device__ __forceinline__ unsigned char between(float fx, float fy, float a, float b, float c, float d)
{
    float top = a + fx * (b - a), low = c + fx * (d - c);
    return (unsigned char)(top + fy * (low - top) + 0.5f);
}

extern "C" __global__ void bilin4_pixels(uchar4 *out, const uchar4 *in, int w, int h, int stride)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w)
        return;
    float fx = x * (2.0f / 3.0f), fy = y * (2.0f / 3.0f);
    int x0 = (int)fx, y0 = (int)fy;
    const uchar4 *p = in + y0 * stride + x0;
    fx -= x0;
    fy -= y0;
    uchar4 a = p[0], b = p[1], c = p[stride], d = p[stride + 1];
    out[y * w + x] = make_uchar4(between(fx, fy, a.x, b.x, c.x, d.x), between(fx, fy, a.y, b.y, c.y, d.y),
                                 between(fx, fy, a.z, b.z, c.z, d.z), between(fx, fy, a.w, b.w, c.w, d.w));
}

/* ---- Sums along each row, as of an integral image ---- */

extern "C" __global__ void rowsat_thread(int *out, const int *in, int w, int h)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (y >= h)
        return;
    for (int x = 0; x < w; x++) {
        sum += in[y * w + x];
        out[y * w + x] = sum;
    }
}

extern "C" __global__ void rowsat_warp(int *out, const int *in, int w, int h)
{
    int y = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, sum = 0;
    if (y >= h)
        return;
    for (int x = lane; x < w; x += 32) {
        int v = in[y * w + x];
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            int u = __shfl_up_sync(0xffffffff, v, d);
            v += lane >= d ? u : 0;
        }
        v += sum;
        out[y * w + x] = v;
        sum = __shfl_sync(0xffffffff, v, 31);
    }
}

/* ---- The distance transform along columns: the least of (y - k)^2 + f(k) ---- */

extern "C" __global__ void edtcol_one(float *out, const float *f, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float least = 1e30f;
    for (int k = 0; k < h; k++) {
        float d = y - k;
        least = fminf(least, d * d + f[k * w + x]);
    }
    out[y * w + x] = least;
}

extern "C" __global__ void edtcol_four(float *out, const float *f, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
    float least[4] = {1e30f, 1e30f, 1e30f, 1e30f};
#pragma unroll 4
    for (int k = 0; k < h; k++) {
        float v = f[k * w + x];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float d = y + j - k;
            least[j] = fminf(least[j], d * d + v);
        }
    }
#pragma unroll
    for (int j = 0; j < 4; j++)
        out[(y + j) * w + x] = least[j];
}

/* ---- A mean of any radius, with each point looked at, or of radius two inside ---- */

extern "C" __global__ void anyradii_any(float *out, const float *in, int w, int h, int radius)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float sum = 0.0f;
    int count = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++)
            if (x + dx >= 0 && x + dx < w && y + dy >= 0 && y + dy < h) {
                sum += in[(y + dy) * w + x + dx];
                count++;
            }
    out[y * w + x] = sum / count;
}

extern "C" __global__ void anyradii_two(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float sum = 0.0f;
    if (x >= 2 && y >= 2 && x < w - 2 && y < h - 2) {
        const float *p = in + (y - 2) * w + x - 2;
#pragma unroll
        for (int dy = 0; dy < 5; dy++)
#pragma unroll
            for (int dx = 0; dx < 5; dx++)
                sum += p[dy * w + dx];
        out[y * w + x] = sum * 0.04f;
        return;
    }
    int x0 = max(x - 2, 0), x1 = min(x + 2, w - 1), y0 = max(y - 2, 0), y1 = min(y + 2, h - 1);
    for (int v = y0; v <= y1; v++)
        for (int u = x0; u <= x1; u++)
            sum += in[v * w + u];
    out[y * w + x] = sum / ((x1 - x0 + 1) * (y1 - y0 + 1));
}
