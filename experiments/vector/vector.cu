// Twelve-byte points moved by a velocity: what the layout of memory costs. Every kernel computes the
// same, p += v * DT on x, y and z of n points; what differs is which addresses a warp touches at once.
//   aos_step       array of structures: lanes 12 bytes apart, three loads use a third of each line
//   strided_step   a thread takes CHUNK neighbouring points: lanes CHUNK * 12 bytes apart
//   soa_step       structure of arrays: lanes 4 bytes apart, every sector used whole
//   soa_vec4_step  the same, 16 bytes per lane: a quarter of the instructions
//   aos_vec4_step  the array of structures read as plain float4s: the layout stays, lanes are 16 apart
//   aosoa_step     an array of tiles, 32 x, 32 y and 32 z each: a warp's own tile, lanes 4 bytes apart
//   padded_step    structures of four floats, one of them unused: 16 bytes per point, lanes 16 bytes apart
//   offset_step    soa_step's loads, begun one word behind the start of a sector
// SPDX-License-Identifier: Apache-2.0
#define DT 0.5f
#define CHUNK 8

struct point {
    float x, y, z;
};

extern "C" __global__ void aos_step(struct point *p, const struct point *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x += v[i].x * DT;
        p[i].y += v[i].y * DT;
        p[i].z += v[i].z * DT;
    }
}

extern "C" __global__ void strided_step(struct point *p, const struct point *v, int n)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * CHUNK;
    for (int i = first; i < first + CHUNK && i < n; i++) {
        p[i].x += v[i].x * DT;
        p[i].y += v[i].y * DT;
        p[i].z += v[i].z * DT;
    }
}

// p and v hold all x, then all y, then all z.
extern "C" __global__ void soa_step(float *p, const float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i] += v[i] * DT;
        p[n + i] += v[n + i] * DT;
        p[2 * n + i] += v[2 * n + i] * DT;
    }
}

static __device__ float4 moved(float4 p, float4 v)
{
    p.x += v.x * DT;
    p.y += v.y * DT;
    p.z += v.z * DT;
    p.w += v.w * DT;
    return p;
}

// n is a multiple of 4.
extern "C" __global__ void soa_vec4_step(float4 *p, const float4 *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, quads = n / 4;
    if (i < quads) {
        p[i] = moved(p[i], v[i]);
        p[quads + i] = moved(p[quads + i], v[quads + i]);
        p[2 * quads + i] = moved(p[2 * quads + i], v[2 * quads + i]);
    }
}

// The structures' three floats take the same step, so that their order does not matter.
extern "C" __global__ void aos_vec4_step(float4 *p, const float4 *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 3 * (n / 4))
        p[i] = moved(p[i], v[i]);
}

// p and v hold tiles of 32 points; the last one may have fewer.
extern "C" __global__ void aosoa_step(float *p, const float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = i % 32, first = i - lane;
    int own = min(32, n - first); // points of this tile
    if (i < n)
        for (int c = 0; c < 3; c++)
            p[3 * first + c * own + lane] += v[3 * first + c * own + lane] * DT;
}

// The fourth float is padding.
extern "C" __global__ void padded_step(float4 *p, const float4 *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = moved(p[i], v[i]);
}

// Into that layout and out of it.
extern "C" __global__ void pad_points(float4 *padded, const struct point *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        padded[i] = make_float4(p[i].x, p[i].y, p[i].z, 0);
}

extern "C" __global__ void unpad_points(struct point *p, const float4 *padded, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = {padded[i].x, padded[i].y, padded[i].z};
}

// The 3 n floats one after the other, a third to each round; thread 0 has the word in front besides.
extern "C" __global__ void offset_step(float *p, const float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0 && n > 0)
        p[0] += v[0] * DT;
    if (i >= n)
        return;
    p[1 + i] += v[1 + i] * DT;
    p[1 + n + i] += v[1 + n + i] * DT;
    if (i < n - 1)
        p[1 + 2 * n + i] += v[1 + 2 * n + i] * DT;
}
