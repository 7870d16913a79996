// Attention of some heads in f32, 32 numbers a head: out = softmax(q*k^T * scale)*v. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int WIDTH = 32;

// Three launches: scores, softmax, mixture.
extern "C" __global__ void attend_scores(float *scores, const float *q, const float *k, float scale, int length)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, head = blockIdx.z;
    if (x >= length || y >= length)
        return;
    const float *a = q + ((size_t)head * length + y) * WIDTH, *b = k + ((size_t)head * length + x) * WIDTH;
    float sum = 0;
    for (int i = 0; i < WIDTH; i++)
        sum += a[i] * b[i];
    scores[((size_t)head * length + y) * length + x] = sum * scale;
}

extern "C" __global__ void attend_softmax(float *scores, int length)
{
    __shared__ float s[4];
    float *row = scores + (size_t)blockIdx.x * length, most = -INFINITY, sum = 0;
    int t = threadIdx.x;
    for (int i = t; i < length; i += 128)
        most = fmaxf(most, row[i]);
    for (int d = 16; d > 0; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    if (t % 32 == 0)
        s[t / 32] = most;
    __syncthreads();
    most = fmaxf(fmaxf(s[0], s[1]), fmaxf(s[2], s[3]));
    __syncthreads();
    for (int i = t; i < length; i += 128)
        sum += expf(row[i] - most);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (t % 32 == 0)
        s[t / 32] = sum;
    __syncthreads();
    sum = s[0] + s[1] + s[2] + s[3];
    for (int i = t; i < length; i += 128)
        row[i] = expf(row[i] - most) / sum;
}

extern "C" __global__ void attend_mix(float *out, const float *scores, const float *v, int length)
{
    int c = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y, head = blockIdx.y;
    if (y >= length)
        return;
    const float *row = scores + ((size_t)head * length + y) * length;
    float sum = 0;
    for (int i = 0; i < length; i++)
        sum += row[i] * v[((size_t)head * length + i) * WIDTH + c];
    out[((size_t)head * length + y) * WIDTH + c] = sum;
}

// A block of 128 per query: a thread per key, then a thread per number and quarter of the keys.
extern "C" __global__ void attend_query(float *out, const float *q, const float *k, const float *v, float scale, int length)
{
    extern __shared__ float weight[];
    __shared__ float mine[WIDTH], s[128];
    int t = threadIdx.x, y = blockIdx.x, head = blockIdx.y;
    q += ((size_t)head * length + y) * WIDTH;
    k += (size_t)head * length * WIDTH;
    v += (size_t)head * length * WIDTH;
    if (t < WIDTH)
        mine[t] = q[t] * scale;
    __syncthreads();
    float most = -INFINITY, sum = 0, mix = 0;
    for (int i = t; i < length; i += 128) {
        const float4 *row = (const float4 *)(k + i * WIDTH);
        float dot = 0;
#pragma unroll
        for (int e = 0; e < WIDTH / 4; e++) {
            float4 u = row[e];
            dot += u.x * mine[4 * e] + u.y * mine[4 * e + 1] + u.z * mine[4 * e + 2] + u.w * mine[4 * e + 3];
        }
        weight[i] = dot;
        most = fmaxf(most, dot);
    }
    s[t] = most;
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (t < d)
            s[t] = fmaxf(s[t], s[t + d]);
        __syncthreads();
    }
    most = s[0];
    for (int i = t / 32; i < length; i += 4) {
        float w = __expf(weight[i] - most);
        sum += w;
        mix += w * v[i * WIDTH + t % 32];
    }
    __syncthreads();
    s[t] = mix;
    __shared__ float sums[4];
    if (t % 32 == 0)
        sums[t / 32] = sum;
    __syncthreads();
    if (t < WIDTH)
        out[((size_t)head * length + y) * WIDTH + t] =
            (s[t] + s[t + 32] + s[t + 64] + s[t + 96]) / (sums[0] + sums[1] + sums[2] + sums[3]);
}

// A thread per query with its row and its result in registers; keys and values by tiles of 32 in shared memory, softmax online.
extern "C" __global__ void __launch_bounds__(64) attend_online(float *out, const float *q, const float *k, const float *v, float scale, int length)
{
    __shared__ float4 ks[32][WIDTH / 4], vs[32][WIDTH / 4];
    int t = threadIdx.x, y = blockIdx.x * 64 + t, head = blockIdx.y;
    size_t base = (size_t)head * length * WIDTH;
    float4 mine[WIDTH / 4], mix[WIDTH / 4] = {};
#pragma unroll
    for (int e = 0; e < WIDTH / 4; e++)
        mine[e] = ((const float4 *)(q + base + (size_t)y * WIDTH))[e];
    float most = -INFINITY, sum = 0;
    for (int from = 0; from < length; from += 32) {
        __syncthreads();
        for (int i = t; i < 32 * WIDTH / 4; i += 64) {
            (&ks[0][0])[i] = ((const float4 *)(k + base + (size_t)from * WIDTH))[i];
            (&vs[0][0])[i] = ((const float4 *)(v + base + (size_t)from * WIDTH))[i];
        }
        __syncthreads();
        for (int i = 0; i < 32; i++) {
            float dot = 0;
#pragma unroll
            for (int e = 0; e < WIDTH / 4; e++)
                dot += mine[e].x * ks[i][e].x + mine[e].y * ks[i][e].y + mine[e].z * ks[i][e].z + mine[e].w * ks[i][e].w;
            dot *= scale;
            float next = fmaxf(most, dot), fade = __expf(most - next), w = __expf(dot - next);
            most = next;
            sum = sum * fade + w;
#pragma unroll
            for (int e = 0; e < WIDTH / 4; e++) {
                mix[e].x = mix[e].x * fade + w * vs[i][e].x;
                mix[e].y = mix[e].y * fade + w * vs[i][e].y;
                mix[e].z = mix[e].z * fade + w * vs[i][e].z;
                mix[e].w = mix[e].w * fade + w * vs[i][e].w;
            }
        }
    }
    float share = 1 / sum;
#pragma unroll
    for (int e = 0; e < WIDTH / 4; e++)
        ((float4 *)(out + base + (size_t)y * WIDTH))[e] = make_float4(mix[e].x * share, mix[e].y * share, mix[e].z * share, mix[e].w * share);
}
