// One query of each head over keys and values of 8 bits, whose rows have a scale each. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void kv8_block(float *out, const float *q, const signed char *k, const float *kscale, const signed char *v, const float *vscale, int length, int dim, float scale)
{
    extern __shared__ float shared[];
    float *query = shared, *scores = shared + dim;
    __shared__ float red[256];
    int head = blockIdx.x, t = threadIdx.x;
    if (t < dim)
        query[t] = q[head * dim + t] * scale;
    __syncthreads();
    float largest = -1e30f;
    for (int j = t; j < length; j += blockDim.x) {
        const signed char *key = k + ((size_t)head * length + j) * dim;
        float s = 0.0f;
        for (int d = 0; d < dim; d++)
            s += query[d] * (float)key[d];
        s *= kscale[head * length + j];
        scores[j] = s;
        largest = fmaxf(largest, s);
    }
    red[t] = largest;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            red[t] = fmaxf(red[t], red[t + s]);
        __syncthreads();
    }
    largest = red[0];
    __syncthreads();
    float sum = 0.0f;
    for (int j = t; j < length; j += blockDim.x) {
        float e = expf(scores[j] - largest);
        scores[j] = e * vscale[head * length + j];
        sum += e;
    }
    red[t] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            red[t] += red[t + s];
        __syncthreads();
    }
    if (t < dim) {
        float r = 0.0f;
        for (int j = 0; j < length; j++)
            r += scores[j] * (float)v[((size_t)head * length + j) * dim + t];
        out[head * dim + t] = r / red[0];
    }
}

// 16 warps a head, each every 16th key: four numbers a lane, the query to 8 bits, sums scaled anew when the maximum grows.
extern "C" __global__ void __launch_bounds__(512) kv8_warps(float *__restrict__ out, const float4 *__restrict__ q, const int *__restrict__ k, const float *__restrict__ kscale,
                                                            const char4 *__restrict__ v, const float *__restrict__ vscale, int length)
{
    __shared__ float4 parts[16][32];
    __shared__ float tops[16], alls[16];
    int head = blockIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float4 x = q[head * 32 + lane];
    float most = fmaxf(fmaxf(fabsf(x.x), fabsf(x.y)), fmaxf(fabsf(x.z), fabsf(x.w)));
    most = __int_as_float(__reduce_max_sync(0xffffffff, __float_as_int(most)));
    float to = 127.0f / most, from = most / 127.0f * 0.088388348f * 1.44269504f;
    int own = (__float2int_rn(x.x * to) & 255) | (__float2int_rn(x.y * to) & 255) << 8 | (__float2int_rn(x.z * to) & 255) << 16 | __float2int_rn(x.w * to) << 24;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float top = -INFINITY, all = 0.0f;
#pragma unroll 2
    for (int j = warp; j < length; j += 16) {
        int row = head * length + j;
        char4 value = v[row * 32 + lane];
        int dot = __reduce_add_sync(0xffffffff, __dp4a(own, k[row * 32 + lane], 0));
        float score = dot * from * kscale[row], least = fmaxf(top, score), by = exp2f(top - least), e = exp2f(score - least), times = e * vscale[row];
        all = all * by + e;
        sum.x = sum.x * by + times * value.x;
        sum.y = sum.y * by + times * value.y;
        sum.z = sum.z * by + times * value.z;
        sum.w = sum.w * by + times * value.w;
        top = least;
    }
    parts[warp][lane] = sum;
    if (lane == 0) {
        tops[warp] = top;
        alls[warp] = all;
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        float largest = tops[0], total = 0.0f, r = 0.0f;
        for (int w = 1; w < 16; w++)
            largest = fmaxf(largest, tops[w]);
        for (int w = 0; w < 16; w++) {
            float by = exp2f(tops[w] - largest);
            total += alls[w] * by;
            r += ((const float *)parts[w])[threadIdx.x] * by;
        }
        out[head * 128 + threadIdx.x] = r / total;
    }
}
