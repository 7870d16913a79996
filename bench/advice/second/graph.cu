// Points, graphs and rays: kmeans_*, centres_*, expand_*, raybox_*. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- The nearest of 64 centres ------------------------------------------------------------------------------- */

enum { CENTRES = 64 };
__constant__ float fixed_centres[4 * CENTRES];

#define NEAREST(CENTRE)                                                       \
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;                  \
    float4 p = points[i];                                                     \
    float least = 3.0e38f;                                                    \
    for (int c = 0; c < CENTRES; c++) {                                       \
        float dx = p.x - (CENTRE)[4 * c], dy = p.y - (CENTRE)[4 * c + 1];     \
        float dz = p.z - (CENTRE)[4 * c + 2], dw = p.w - (CENTRE)[4 * c + 3]; \
        float far = dx * dx + dy * dy + dz * dz + dw * dw;                    \
        best = far < least ? c : best;                                        \
        least = fminf(least, far);                                            \
    }                                                                         \
    nearest[i] = best

extern "C" __global__ void kmeans_loads(int *nearest, const float4 *points, const float *centres)
{
    NEAREST(centres);
}

extern "C" __global__ void kmeans_constant(int *nearest, const float4 *points)
{
    NEAREST(fixed_centres);
}

/* ---- Sums of the points of each centre: four coordinates, and how many --------------------------------------- */

static __device__ __forceinline__ void add_point(float *sums, int c, float4 p)
{
    atomicAdd(&sums[5 * c], p.x);
    atomicAdd(&sums[5 * c + 1], p.y);
    atomicAdd(&sums[5 * c + 2], p.z);
    atomicAdd(&sums[5 * c + 3], p.w);
    atomicAdd(&sums[5 * c + 4], 1.0f);
}

extern "C" __global__ void centres_global(float *sums, const float4 *points, const int *nearest)
{
    int first = blockIdx.x * 2048 + threadIdx.x;
    for (int k = 0; k < 8; k++)
        add_point(sums, nearest[first + 256 * k], points[first + 256 * k]);
}

extern "C" __global__ void centres_shared(float *sums, const float4 *points, const int *nearest)
{
    __shared__ float mine[5 * CENTRES];
    int first = blockIdx.x * 2048 + threadIdx.x;
    for (int t = threadIdx.x; t < 5 * CENTRES; t += 256)
        mine[t] = 0;
    __syncthreads();
    for (int k = 0; k < 8; k++)
        add_point(mine, nearest[first + 256 * k], points[first + 256 * k]);
    __syncthreads();
    for (int t = threadIdx.x; t < 5 * CENTRES; t += 256)
        atomicAdd(&sums[t], mine[t]);
}

/* ---- A level of a breadth-first search: neighbours of level 1 that are on none (3) come to level 2 ------------ */

// Threads that meet on a vertex all write 2: a race that changes nothing.
extern "C" __global__ void expand_thread(int *level, const int *starts, const int *edges)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (level[v] != 1)
        return;
    for (int e = starts[v]; e < starts[v + 1]; e++)
        if (level[edges[e]] == 3)
            level[edges[e]] = 2;
}

// 32 vertices a warp; all lanes share out the edges of each that is on level 1.
extern "C" __global__ void expand_warp(int *level, const int *starts, const int *edges)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned active = __ballot_sync(0xffffffffu, level[v] == 1);
    int first = starts[v], end = starts[v + 1];
    for (; active != 0; active &= active - 1) {
        int from = __ffs(active) - 1, stop = __shfl_sync(0xffffffffu, end, from);
        for (int e = __shfl_sync(0xffffffffu, first, from) + lane; e < stop; e += 32)
            if (level[edges[e]] == 3)
                level[edges[e]] = 2;
    }
}

/* ---- How many of 64 boxes (two corners each) a ray meets ----------------------------------------------------- */

enum { BOXES = 64 };

static __device__ __forceinline__ void load_ray(float o[3], float d[3], const float *rays, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 3; k++) {
        o[k] = rays[k * n + i];
        d[k] = rays[(3 + k) * n + i];
    }
}

static __device__ __forceinline__ bool meets(const float near[3], const float far[3])
{
    float in = fmaxf(fmaxf(fminf(near[0], far[0]), fminf(near[1], far[1])), fminf(near[2], far[2]));
    float out =
        fminf(fminf(fmaxf(near[0], far[0]), fmaxf(near[1], far[1])), fmaxf(near[2], far[2]));
    return out >= fmaxf(in, 0);
}

extern "C" __global__ void raybox_divide(int *met, const float *rays, const float *boxes, int n)
{
    float o[3], d[3], near[3], far[3];
    int count = 0;
    load_ray(o, d, rays, n);
    for (int b = 0; b < BOXES; b++) {
        for (int k = 0; k < 3; k++) {
            near[k] = (boxes[6 * b + k] - o[k]) / d[k];
            far[k] = (boxes[6 * b + 3 + k] - o[k]) / d[k];
        }
        count += meets(near, far);
    }
    met[blockIdx.x * blockDim.x + threadIdx.x] = count;
}

#define INVERTED(BOX)                                      \
    float o[3], d[3], near[3], far[3];                     \
    int count = 0;                                         \
    load_ray(o, d, rays, n);                               \
    for (int k = 0; k < 3; k++)                            \
        d[k] = 1 / d[k];                                   \
    for (int b = 0; b < BOXES; b++) {                      \
        for (int k = 0; k < 3; k++) {                      \
            near[k] = ((BOX)[6 * b + k] - o[k]) * d[k];    \
            far[k] = ((BOX)[6 * b + 3 + k] - o[k]) * d[k]; \
        }                                                  \
        count += meets(near, far);                         \
    }                                                      \
    met[blockIdx.x * blockDim.x + threadIdx.x] = count

extern "C" __global__ void raybox_inverse(int *met, const float *rays, const float *boxes, int n)
{
    INVERTED(boxes);
}

__constant__ float fixed_boxes[6 * BOXES];

extern "C" __global__ void raybox_constant(int *met, const float *rays, int n)
{
    INVERTED(fixed_boxes);
}
