// Rotary positions: dimensions i and i + half of each head turn by position * 10000^(-i/half). Nothing is tuned on these
// kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A thread per pair, angle and all.
extern "C" __global__ void rope_exact(float *out, const float *in, int tokens, int heads, int half)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, pair = i % half, head = i / half % heads, token = i / half / heads;
    if (token >= tokens)
        return;
    float angle = token * powf(10000.0f, -(float)pair / half), s, c;
    sincosf(angle, &s, &c);
    size_t at = ((size_t)token * heads + head) * 2 * half + pair;
    float x = in[at], y = in[at + half];
    out[at] = x * c - y * s;
    out[at + half] = x * s + y * c;
}

// A block per token: its angles once, in shared memory, for all heads.
extern "C" __global__ void rope_shared(float *out, const float *in, int tokens, int heads, int half)
{
    __shared__ float2 turn[64];
    int token = blockIdx.x, t = threadIdx.x;
    if (t < half) {
        float angle = token * exp2f(-13.2877124f * t / half);
        sincosf(angle, &turn[t].y, &turn[t].x);
    }
    __syncthreads();
    const float *x = in + (size_t)token * heads * 2 * half;
    float *y = out + (size_t)token * heads * 2 * half;
    for (int i = t; i < heads * half; i += blockDim.x) {
        int at = i / half * 2 * half + i % half;
        float2 w = turn[i % half];
        float a = x[at], b = x[at + half];
        y[at] = a * w.x - b * w.y;
        y[at + half] = a * w.y + b * w.x;
    }
}

// The table of all angles, and the turn by it, four pairs a thread.
extern "C" __global__ void rope_table(float *cosine, float *sine, int tokens, int half)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= tokens * half)
        return;
    float angle = i / half * exp2f(-13.2877124f * (i % half) / half);
    cosine[i] = cosf(angle);
    sine[i] = sinf(angle);
}

extern "C" __global__ void rope_look(float4 *out, const float4 *in, const float4 *cosine, const float4 *sine, int tokens, int heads, int quads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, q = i % quads, token = i / quads / heads;
    if (token >= tokens)
        return;
    size_t at = (size_t)(i / quads) * 2 * quads + q;
    float4 a = in[at], b = in[at + quads], c = cosine[token * quads + q], s = sine[token * quads + q];
    out[at] = make_float4(a.x * c.x - b.x * s.x, a.y * c.y - b.y * s.y, a.z * c.z - b.z * s.z, a.w * c.w - b.w * s.w);
    out[at + quads] = make_float4(a.x * s.x + b.x * c.x, a.y * s.y + b.y * c.y, a.z * s.z + b.z * c.z, a.w * s.w + b.w * c.w);
}
