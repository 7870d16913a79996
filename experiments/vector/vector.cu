// Twelve-byte points moved by a velocity: what the layout of memory costs. Every kernel computes the
// same, p += v * DT on x, y and z of n points; what differs is which addresses a warp touches at once.
//   aos_step       array of structures: lanes 12 bytes apart, three loads use a third of each line
//   strided_step   a thread takes CHUNK neighbouring points: lanes CHUNK * 12 bytes apart
//   soa_step       structure of arrays: lanes 4 bytes apart, every sector used whole
//   soa_vec4_step  the same, 16 bytes per lane: a quarter of the instructions
//   aos_vec4_step  the array of structures read as plain float4s: the layout stays, lanes are 16 apart
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
