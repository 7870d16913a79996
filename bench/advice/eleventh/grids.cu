// Grids and images: box27_*, heat27_*, jacobi128_*, grayscott_*, gauss5_*, erode7_*, unsharp_*, warpimg_*, rgbplanar_*, redblack_*,
// lap13_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- The mean of a box around each point, of which what is outside is 0 ----------------------------------------------- */

extern "C" __global__ void box27_any(const float *in, float *out, int nx, int ny, int nz, int radius)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x >= nx || y >= ny)
        return;
    float sum = 0.0f;
    for (int dz = -radius; dz <= radius; ++dz)
        for (int dy = -radius; dy <= radius; ++dy)
            for (int dx = -radius; dx <= radius; ++dx)
                if (x + dx >= 0 && x + dx < nx && y + dy >= 0 && y + dy < ny && z + dz >= 0 && z + dz < nz)
                    sum += in[((size_t)(z + dz) * ny + y + dy) * nx + x + dx];
    int side = 2 * radius + 1;
    out[((size_t)z * ny + y) * nx + x] = sum / (side * side * side);
}

extern "C" __global__ void box27_inner(const float *in, float *out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x >= nx || y >= ny)
        return;
    const float *at = in + ((size_t)z * ny + y) * nx + x;
    float sum = 0.0f;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
#pragma unroll
        for (int dz = -1; dz <= 1; ++dz) {
            const float *plane = at + dz * nx * ny;
            sum += plane[-nx - 1] + plane[-nx] + plane[-nx + 1] + plane[-1] + plane[0] + plane[1] + plane[nx - 1] + plane[nx] + plane[nx + 1];
        }
    } else {
        for (int dz = max(-1, -z); dz <= min(1, nz - 1 - z); ++dz)
            for (int dy = max(-1, -y); dy <= min(1, ny - 1 - y); ++dy)
                for (int dx = max(-1, -x); dx <= min(1, nx - 1 - x); ++dx)
                    sum += at[(dz * ny + dy) * nx + dx];
    }
    out[((size_t)z * ny + y) * nx + x] = sum / 27.0f;
}

/* ---- The heat equation by 27 points; the grid has a margin of one point -------------------------------------------------- */

#define W_CENTRE 0.40f
#define W_FACE 0.05f
#define W_EDGE 0.015f
#define W_CORNER 0.015f

static __device__ __forceinline__ float in_plane_faces(const float *p, int pitch)
{
    return p[-1] + p[1] + p[-pitch] + p[pitch];
}

static __device__ __forceinline__ float in_plane_corners(const float *p, int pitch)
{
    return p[-pitch - 1] + p[-pitch + 1] + p[pitch - 1] + p[pitch + 1];
}

extern "C" __global__ void heat27_point(const float *in, float *out, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z, pitch = nx + 2;
    if (x >= nx || y >= ny)
        return;
    int plane = pitch * (ny + 2), at = (z + 1) * plane + (y + 1) * pitch + x + 1;
    const float *p = in + at, *below = p - plane, *above = p + plane;
    out[at] = W_CENTRE * p[0] + W_FACE * (in_plane_faces(p, pitch) + below[0] + above[0]) +
              W_EDGE * (in_plane_corners(p, pitch) + in_plane_faces(below, pitch) + in_plane_faces(above, pitch)) +
              W_CORNER * (in_plane_corners(below, pitch) + in_plane_corners(above, pitch));
}

// Up a column of 16 points, with the sums of three planes.
extern "C" __global__ void heat27_column(const float *in, float *out, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, pitch = nx + 2;
    if (x >= nx || y >= ny)
        return;
    int plane = pitch * (ny + 2), at = blockIdx.z * 16 * plane + (y + 1) * pitch + x + 1;
    const float *p = in + at;
    float c0 = p[0], f0 = in_plane_faces(p, pitch), e0 = in_plane_corners(p, pitch);
    p += plane;
    float c1 = p[0], f1 = in_plane_faces(p, pitch), e1 = in_plane_corners(p, pitch);
#pragma unroll 4
    for (int z = 0; z < 16; ++z) {
        p += plane;
        at += plane;
        float c2 = p[0], f2 = in_plane_faces(p, pitch), e2 = in_plane_corners(p, pitch);
        out[at] = W_CENTRE * c1 + W_FACE * (f1 + c0 + c2) + W_EDGE * (e1 + f0 + f2) + W_CORNER * (e0 + e2);
        c0 = c1;
        f0 = f1;
        e0 = e1;
        c1 = c2;
        f1 = f2;
        e1 = e2;
    }
}

/* ---- Jacobi steps on many grids of 128 x 128, whose rims stay ----------------------------------------------------------- */

extern "C" __global__ void jacobi128_step(float *next, const float *now)
{
    int x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y, at = (blockIdx.y * 128 + y) * 128 + x;
    bool rim = x == 0 || x == 127 || y == 0 || y == 127;
    next[at] = rim ? now[at] : 0.25f * (now[at - 1] + now[at + 1] + now[at - 128] + now[at + 128]);
}

extern "C" __global__ void jacobi128_block(float *out, const float *in, int steps)
{
    extern __shared__ float grid[];
    int x = threadIdx.x, y0 = threadIdx.y * 16;
    const float *from = in + blockIdx.x * 16384;
    float next[16];
#pragma unroll
    for (int i = 0; i < 16; ++i)
        grid[(y0 + i) * 128 + x] = from[(y0 + i) * 128 + x];
    __syncthreads();
    for (int s = 0; s < steps; ++s) {
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            int y = y0 + i, at = y * 128 + x;
            bool rim = x == 0 || x == 127 || y == 0 || y == 127;
            next[i] = rim ? grid[at] : 0.25f * (grid[at - 1] + grid[at + 1] + grid[at - 128] + grid[at + 128]);
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; ++i)
            grid[(y0 + i) * 128 + x] = next[i];
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 16; ++i)
        out[blockIdx.x * 16384 + (y0 + i) * 128 + x] = grid[(y0 + i) * 128 + x];
}

/* ---- A step of Gray and Scott's reaction, of which opposite rims are neighbours; w and h are powers of two ---------------- */

#define FEED 0.055f
#define KILL 0.062f

static __device__ __forceinline__ float spread(const float *f, int x, int y, int w, int h)
{
    int left = (x - 1) & (w - 1), right = (x + 1) & (w - 1), up = (y - 1) & (h - 1), down = (y + 1) & (h - 1);
    return f[y * w + left] + f[y * w + right] + f[up * w + x] + f[down * w + x] - 4.0f * f[y * w + x];
}

extern "C" __global__ void grayscott_spread(const float *f, float *lap, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    lap[y * w + x] = spread(f, x, y, w, h);
}

extern "C" __global__ void grayscott_react(const float *u, const float *v, const float *lap_u, const float *lap_v, float *next_u, float *next_v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float a = u[i], b = v[i], both = a * b * b;
    next_u[i] = a + 0.16f * lap_u[i] - both + FEED * (1.0f - a);
    next_v[i] = b + 0.08f * lap_v[i] + both - (FEED + KILL) * b;
}

extern "C" __global__ void grayscott_one(const float *u, const float *v, float *next_u, float *next_v, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * w + x;
    float a = u[i], b = v[i], both = a * b * b;
    next_u[i] = a + 0.16f * spread(u, x, y, w, h) - both + FEED * (1.0f - a);
    next_v[i] = b + 0.08f * spread(v, x, y, w, h) + both - (FEED + KILL) * b;
}

/* ---- A filter of 5 x 5 weights; the image has a margin of two points ------------------------------------------------------- */

__constant__ float filter[25];

extern "C" __global__ void gauss5_global(const float *image, const float *weight, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < 5; ++j)
#pragma unroll
        for (int i = 0; i < 5; ++i)
            sum += weight[j * 5 + i] * image[(y + j) * (w + 4) + x + i];
    out[y * w + x] = sum;
}

extern "C" __global__ void gauss5_constant(const float *image, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < 5; ++j)
#pragma unroll
        for (int i = 0; i < 5; ++i)
            sum += filter[j * 5 + i] * image[(y + j) * (w + 4) + x + i];
    out[y * w + x] = sum;
}

/* ---- The least of 7 x 7 points, by a tile of 32 x 32; the image has a margin of three points -------------------------------- */

static __device__ __forceinline__ void erode7_load(float tile[38][39], const float *image, int w)
{
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, t = threadIdx.y * 32 + threadIdx.x;
    for (int i = t; i < 38 * 38; i += 256)
        tile[i / 38][i % 38] = image[(y0 + i / 38) * (w + 6) + x0 + i % 38];
    __syncthreads();
}

extern "C" __global__ void erode7_points(const float *image, float *out, int w)
{
    __shared__ float tile[38][39];
    erode7_load(tile, image, w);
    for (int k = 0; k < 4; ++k) {
        int y = threadIdx.y * 4 + k;
        float least = tile[y][threadIdx.x];
#pragma unroll
        for (int j = 0; j < 7; ++j)
#pragma unroll
            for (int i = 0; i < 7; ++i)
                least = fminf(least, tile[y + j][threadIdx.x + i]);
        out[(blockIdx.y * 32 + y) * w + blockIdx.x * 32 + threadIdx.x] = least;
    }
}

extern "C" __global__ void erode7_rows(const float *image, float *out, int w)
{
    __shared__ float tile[38][39];
    erode7_load(tile, image, w);
    int y = threadIdx.y * 4;
    float row[10];
#pragma unroll
    for (int j = 0; j < 10; ++j) {
        row[j] = tile[y + j][threadIdx.x];
#pragma unroll
        for (int i = 1; i < 7; ++i)
            row[j] = fminf(row[j], tile[y + j][threadIdx.x + i]);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        float least = row[k];
#pragma unroll
        for (int j = 1; j < 7; ++j)
            least = fminf(least, row[k + j]);
        out[(blockIdx.y * 32 + y + k) * w + blockIdx.x * 32 + threadIdx.x] = least;
    }
}

/* ---- A sharper image: what differs from the mean of 3 x 3 is enlarged; a margin of one point ---------------------------------- */

extern "C" __global__ void unsharp_literals(const unsigned char *image, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    const unsigned char *p = image + (y + 1) * (w + 2) + x + 1;
    double mean = (p[-w - 3] + p[-w - 2] + p[-w - 1] + p[-1] + p[0] + p[1] + p[w + 1] + p[w + 2] + p[w + 3]) / 9.0;
    double v = p[0] + 1.5 * (p[0] - mean);
    v = v < 0.0 ? 0.0 : v > 255.0 ? 255.0 : v;
    out[y * w + x] = v / 255.0;
}

extern "C" __global__ void unsharp_floats(const unsigned char *image, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    const unsigned char *p = image + (y + 1) * (w + 2) + x + 1;
    float mean = (p[-w - 3] + p[-w - 2] + p[-w - 1] + p[-1] + p[0] + p[1] + p[w + 1] + p[w + 2] + p[w + 3]) * (1.0f / 9.0f);
    float v = p[0] + 1.5f * (p[0] - mean);
    out[y * w + x] = fminf(fmaxf(v, 0.0f), 255.0f) * (1.0f / 255.0f);
}

/* ---- An image turned by an angle around its middle ------------------------------------------------------------------------------ */

static __device__ __forceinline__ float turned(const float *image, int x, int y, int w, int h, float c, float s)
{
    float dx = x - 0.5f * w, dy = y - 0.5f * h, sx = c * dx + s * dy + 0.5f * w, sy = c * dy - s * dx + 0.5f * h;
    sx = fminf(fmaxf(sx, 0.0f), w - 1.001f);
    sy = fminf(fmaxf(sy, 0.0f), h - 1.001f);
    int i = (int)sx, j = (int)sy;
    float a = sx - i, b = sy - j;
    const float *p = image + j * w + i;
    return (1.0f - b) * ((1.0f - a) * p[0] + a * p[1]) + b * ((1.0f - a) * p[w] + a * p[w + 1]);
}

extern "C" __global__ void warpimg_angle(const float *image, float *out, int w, int h, float angle)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = turned(image, x, y, w, h, cosf(angle), sinf(angle));
}

extern "C" __global__ void warpimg_matrix(const float *image, float *out, int w, int h, float c, float s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = turned(image, x, y, w, h, c, s);
}

/* ---- Red, green and blue side by side to three planes ------------------------------------------------------------------------------ */

extern "C" __global__ void rgbplanar_one(const unsigned char *rgb, unsigned char *planes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        planes[i] = rgb[3 * i];
        planes[n + i] = rgb[3 * i + 1];
        planes[2 * n + i] = rgb[3 * i + 2];
    }
}

// Four pixels a thread: three words hold them.
extern "C" __global__ void rgbplanar_four(const unsigned *rgb, unsigned *planes, int quads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < quads) {
        unsigned a = rgb[3 * i], b = rgb[3 * i + 1], c = rgb[3 * i + 2];
        planes[i] = (a & 255) | (a >> 24) << 8 | (b >> 16 & 255) << 16 | (c >> 8 & 255) << 24;
        planes[quads + i] = (a >> 8 & 255) | (b & 255) << 8 | (b >> 24) << 16 | (c >> 16 & 255) << 24;
        planes[2 * quads + i] = (a >> 16 & 255) | (b >> 8 & 255) << 8 | (c & 255) << 16 | (c >> 24) << 24;
    }
}

/* ---- Half a step of a nonlinear relaxation: red points only, whose neighbours are black; a margin of one point --------------------- */

static __device__ __forceinline__ float relaxed(const float *u, int at, int pitch)
{
    float mean = 0.25f * (u[at - 1] + u[at + 1] + u[at - pitch] + u[at + pitch]), v = u[at];
#pragma unroll 1
    for (int i = 0; i < 24; ++i)
        v = v - 0.25f * (v + 0.3f * v * v * v - mean);
    return v;
}

extern "C" __global__ void redblack_all(const float *u, float *red, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, at = (y + 1) * (w + 2) + x + 1;
    if (x < w && y < h && (x + y) % 2 == 0)
        red[(y * w + x) / 2] = relaxed(u, at, w + 2);
}

extern "C" __global__ void redblack_half(const float *u, float *red, int w, int h)
{
    int half = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, x = 2 * half + y % 2;
    if (x < w && y < h)
        red[(y * w + x) / 2] = relaxed(u, (y + 1) * (w + 2) + x + 1, w + 2);
}

/* ---- A star of 13 points, by a tile of shared memory or four rows a thread; a margin of three points -------------------------------- */

extern "C" __global__ void lap13_one(const float *u, float *out, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, pitch = w + 6;
    const float *p = u + (y + 3) * pitch + x + 3;
    out[y * w + x] = -5.4f * p[0] + 1.5f * (p[-1] + p[1] + p[-pitch] + p[pitch]) - 0.16f * (p[-2] + p[2] + p[-2 * pitch] + p[2 * pitch]) +
                     0.01f * (p[-3] + p[3] + p[-3 * pitch] + p[3 * pitch]);
}

// Eight points down a column, of which seven stay in registers.
extern "C" __global__ void lap13_column(const float *u, float *out, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x, y0 = (blockIdx.y * 8 + threadIdx.y) * 8, pitch = w + 6;
    const float *p = u + (y0 + 3) * pitch + x + 3;
    float v[14];
#pragma unroll
    for (int i = 0; i < 14; ++i)
        v[i] = p[(i - 3) * pitch];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const float *c = p + i * pitch;
        out[(y0 + i) * w + x] = -5.4f * v[i + 3] + 1.5f * (c[-1] + c[1] + v[i + 2] + v[i + 4]) - 0.16f * (c[-2] + c[2] + v[i + 1] + v[i + 5]) +
                                0.01f * (c[-3] + c[3] + v[i] + v[i + 6]);
    }
}
