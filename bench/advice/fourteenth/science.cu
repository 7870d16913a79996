// Science: screened_*, celllist_*, bintree_*, contfrac_*, raytri_*, kepler_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- A potential that is screened: exp(-r) / r over all particles --------------------------------------------------------- */

// blockIdx.y takes a part of the sources, a multiple of 128.
template <bool QUICK> static __device__ __forceinline__ void screened(const float4 *source, const float4 *target, float *out, int each)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 p = target[i];
    float sum = 0.0f;
    for (int start = blockIdx.y * each; start < (int)(blockIdx.y + 1) * each; start += 128) {
        __syncthreads();
        tile[threadIdx.x] = source[start + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < 128; ++j) {
            float4 q = tile[j];
            float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, d = dx * dx + dy * dy + dz * dz + 0.01f;
            if (QUICK) {
                float inverse = rsqrtf(d);
                sum += q.w * __expf(-d * inverse) * inverse;
            } else {
                float r = sqrtf(d);
                sum += q.w * expf(-r) / r;
            }
        }
    }
    atomicAdd(&out[i], sum);
}

extern "C" __global__ void screened_exact(const float4 *source, const float4 *target, float *out, int each)
{
    screened<false>(source, target, out, each);
}

extern "C" __global__ void screened_quick(const float4 *source, const float4 *target, float *out, int each)
{
    screened<true>(source, target, out, each);
}

/* ---- Pairs of particles within cells; few cells have many -------------------------------------------------------------------- */

static __device__ __forceinline__ float near_energy(const float2 *particle, int i, int first, int end)
{
    float2 p = particle[i];
    float sum = 0.0f;
    for (int j = first; j < end; ++j) {
        float dx = p.x - particle[j].x, dy = p.y - particle[j].y;
        sum += fmaxf(0.0f, 1.0f - dx * dx - dy * dy);
    }
    return sum;
}

extern "C" __global__ void celllist_cells(const int *start, const float2 *particle, float *out)
{
    int first = start[blockIdx.x], end = start[blockIdx.x + 1];
    for (int i = first + threadIdx.x; i < end; i += blockDim.x)
        out[i] = near_energy(particle, i, first, end);
}

extern "C" __global__ void celllist_particles(const int *start, const float2 *particle, float *out, int cells, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, low = 0, high = cells;
    if (i >= n)
        return;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (start[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    out[i] = near_energy(particle, i, start[low], start[low + 1]);
}

/* ---- Options by a binomial tree of 255 steps ------------------------------------------------------------------------------------- */

constexpr float UP = 1.0098f, RISE = 0.497f, STAY = 0.9999f; // a step's factor, its chance, and what it discounts

static __device__ __forceinline__ float payoff(float price, float strike, int ups)
{
    return fmaxf(price * exp2f((2 * ups - 255) * log2f(UP)) - strike, 0.0f);
}

// A block an option, a thread an end.
extern "C" __global__ void bintree_block(const float *price, const float *strike, float *value)
{
    __shared__ float node[257];
    int t = threadIdx.x;
    float v = payoff(price[blockIdx.x], strike[blockIdx.x], t);
    for (int step = 255; step > 0; --step) {
        node[t] = v;
        __syncthreads();
        if (t < step)
            v = STAY * (RISE * node[t + 1] + (1.0f - RISE) * v);
        __syncthreads();
    }
    if (t == 0)
        value[blockIdx.x] = v;
}

// A warp an option, eight ends a lane.
extern "C" __global__ void bintree_warp(const float *price, const float *strike, float *value, int n)
{
    int option = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (option >= n)
        return;
    float v[9];
#pragma unroll
    for (int k = 0; k < 8; ++k)
        v[k] = payoff(price[option], strike[option], 8 * lane + k);
    for (int step = 255; step > 0; --step) {
        v[8] = __shfl_down_sync(0xffffffff, v[0], 1);
#pragma unroll
        for (int k = 0; k < 8; ++k)
            v[k] = STAY * (RISE * v[k + 1] + (1.0f - RISE) * v[k]);
    }
    if (lane == 0)
        value[option] = v[0];
}

/* ---- Tangents by a continued fraction of 13 terms ------------------------------------------------------------------------------------ */

extern "C" __global__ void contfrac_divisions(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i], v = 25.0f;
#pragma unroll
    for (int k = 23; k > 0; k -= 2)
        v = k - x * x / v;
    out[i] = x / v;
}

extern "C" __global__ void contfrac_ratio(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i], square = x * x, above = 25.0f, below = 1.0f;
#pragma unroll
    for (int k = 23; k > 0; k -= 2) {
        float next = k * above - square * below;
        below = above;
        above = next;
    }
    out[i] = x * below / above;
}

/* ---- The nearest of 96 triangles that each ray hits -------------------------------------------------------------------------------------- */

static __device__ __forceinline__ float hit(float ox, float oy, float dx, float dy, float ax, float ay, float az, float bx, float by, float bz,
                                            float cx, float cy, float cz, float nearest)
{
    // Rays start at (ox, oy, 0) and go along (dx, dy, 1).
    float px = dy * cz - cy, py = cx - dx * cz, pz = dx * cy - dy * cx, det = bx * px + by * py + bz * pz;
    float tx = ox - ax, ty = oy - ay, tz = -az, inverse = __frcp_rn(det);
    float u = (tx * px + ty * py + tz * pz) * inverse;
    float qx = ty * bz - tz * by, qy = tz * bx - tx * bz, qz = tx * by - ty * bx;
    float v = (dx * qx + dy * qy + qz) * inverse, t = (cx * qx + cy * qy + cz * qz) * inverse;
    return u >= 0.0f && v >= 0.0f && u + v <= 1.0f && t > 0.0f && t < nearest ? t : nearest;
}

// A triangle is a corner and two sides, nine numbers in twelve.
extern "C" __global__ void raytri_global(const float4 *ray, const float *triangle, float *out, int n, int triangles)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 r = ray[i];
    float nearest = 1e30f;
#pragma unroll 1
    for (int k = 0; k < triangles; ++k) {
        const float *a = triangle + 12 * k;
        nearest = hit(r.x, r.y, r.z, r.w, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], nearest);
    }
    out[i] = nearest;
}

extern "C" __global__ void raytri_shared(const float4 *ray, const float4 *triangle, float *out, int n, int triangles)
{
    __shared__ float4 part[288];
    for (int k = threadIdx.x; k < 3 * triangles; k += blockDim.x)
        part[k] = triangle[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 r = ray[i];
    float nearest = 1e30f;
#pragma unroll 2
    for (int k = 0; k < triangles; ++k) {
        float4 a = part[3 * k], b = part[3 * k + 1], c = part[3 * k + 2];
        nearest = hit(r.x, r.y, r.z, r.w, a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x, nearest);
    }
    out[i] = nearest;
}

/* ---- Kepler's equation by six of Newton's steps, in f64 and in f32 -------------------------------------------------------------------------- */

extern "C" __global__ void kepler_double(const float *mean, float eccentric, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double m = mean[i], e = m;
#pragma unroll 1
    for (int k = 0; k < 6; ++k)
        e -= (e - eccentric * sin(e) - m) / (1.0 - eccentric * cos(e));
    out[i] = e;
}

extern "C" __global__ void kepler_float(const float *mean, float eccentric, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float m = mean[i], e = m;
#pragma unroll 1
    for (int k = 0; k < 6; ++k)
        e -= (e - eccentric * sinf(e) - m) / (1.0f - eccentric * cosf(e));
    out[i] = e;
}
