// Softmax of scaled rows of 512 where a mask of bytes is not zero. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ float reduce(float v, float *s, bool largest)
{
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d)
            s[t] = largest ? fmaxf(s[t], s[t + d]) : s[t] + s[t + d];
        __syncthreads();
    }
    v = s[0];
    __syncthreads();
    return v;
}

extern "C" __global__ void maskedsm_block(float *out, const float *in, const unsigned char *mask, float scale)
{
    __shared__ float s[128];
    in += blockIdx.x * 512;
    mask += blockIdx.x * 512;
    out += blockIdx.x * 512;
    float most = -1e30f, sum = 0.0f;
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
        most = fmaxf(most, mask[i] ? in[i] * scale : -1e30f);
    most = reduce(most, s, true);
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
        sum += mask[i] ? expf(in[i] * scale - most) : 0.0f;
    sum = reduce(sum, s, false);
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
        out[i] = mask[i] ? expf(in[i] * scale - most) / sum : 0.0f;
}

extern "C" __global__ void maskedsm_warp(float *out, const float *in, const unsigned char *mask, float scale, int rows)
{
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float v[16], most = -1e30f, sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 16; i++) {
        int at = row * 512 + 32 * i + lane;
        v[i] = mask[at] ? in[at] * scale : -1e30f;
        most = fmaxf(most, v[i]);
    }
    for (int d = 16; d > 0; d >>= 1)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
#pragma unroll
    for (int i = 0; i < 16; i++) {
        v[i] = __expf(v[i] - most);
        sum += v[i];
    }
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    float share = 1.0f / sum;
#pragma unroll
    for (int i = 0; i < 16; i++)
        out[row * 512 + 32 * i + lane] = v[i] * share;
}

// Maximum and sum in one pass: a larger maximum rescales the sum. Four numbers and their bytes at once.
extern "C" __global__ void maskedsm_online(float4 *__restrict__ out, const float4 *__restrict__ in, const uchar4 *__restrict__ mask,
                                           float scale)
{
    __shared__ float ms[2], ss[2];
    int t = threadIdx.x;
    in += blockIdx.x * 128;
    mask += blockIdx.x * 128;
    out += blockIdx.x * 128;
    float most = -1e30f, sum = 0.0f;
    for (int i = t; i < 128; i += 64) {
        float4 x = in[i];
        uchar4 b = mask[i];
        float v[4] = {b.x ? x.x * scale : -1e30f, b.y ? x.y * scale : -1e30f, b.z ? x.z * scale : -1e30f, b.w ? x.w * scale : -1e30f};
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float larger = fmaxf(most, v[j]);
            sum = sum * __expf(most - larger) + (v[j] > -1e29f ? __expf(v[j] - larger) : 0.0f);
            most = larger;
        }
    }
    for (int d = 16; d > 0; d >>= 1) {
        float m = __shfl_xor_sync(0xffffffff, most, d), s = __shfl_xor_sync(0xffffffff, sum, d);
        float larger = fmaxf(most, m);
        sum = sum * __expf(most - larger) + s * __expf(m - larger);
        most = larger;
    }
    if (t % 32 == 0) {
        ms[t / 32] = most;
        ss[t / 32] = sum;
    }
    __syncthreads();
    most = fmaxf(ms[0], ms[1]);
    float share = 1.0f / (ss[0] * __expf(ms[0] - most) + ss[1] * __expf(ms[1] - most));
    for (int i = t; i < 128; i += 64) {
        float4 x = in[i];
        uchar4 b = mask[i];
        out[i] = make_float4(b.x ? __expf(x.x * scale - most) * share : 0.0f, b.y ? __expf(x.y * scale - most) * share : 0.0f,
                             b.z ? __expf(x.z * scale - most) * share : 0.0f, b.w ? __expf(x.w * scale - most) * share : 0.0f);
    }
}
