// A causal convolution over time whose taps are apart, with bias and tanh. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void dilated_output(float *out, const float *x, const float *w, const float *bias, int length, int in_channels, int out_channels, int taps, int dilation)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y, b = blockIdx.z;
    if (t >= length)
        return;
    float sum = bias[o];
    for (int c = 0; c < in_channels; c++) {
        for (int k = 0; k < taps; k++) {
            int at = t - (taps - 1 - k) * dilation;
            if (at >= 0)
                sum += w[(o * in_channels + c) * taps + k] * x[(b * in_channels + c) * length + at];
        }
    }
    out[(b * out_channels + o) * length + t] = tanhf(sum);
}

// Four output channels a thread, their weights side by side in shared memory.
extern "C" __global__ void __launch_bounds__(128) dilated_shared(float *__restrict__ out, const float *__restrict__ x, const float *__restrict__ w, const float *__restrict__ bias, int length)
{
    __shared__ float4 ws[96];
    int t = blockIdx.x * 128 + threadIdx.x, o = blockIdx.y * 4;
    if (threadIdx.x < 96) {
        const float *from = w + o * 96 + threadIdx.x;
        ws[threadIdx.x] = make_float4(from[0], from[96], from[192], from[288]);
    }
    __syncthreads();
    if (t >= length)
        return;
    x += (size_t)blockIdx.z * 32 * length + t;
    float4 sum = make_float4(bias[o], bias[o + 1], bias[o + 2], bias[o + 3]);
#pragma unroll 4
    for (int c = 0; c < 32; c++) {
        float v[3] = {t >= 8 ? x[c * length - 8] : 0.0f, t >= 4 ? x[c * length - 4] : 0.0f, x[c * length]};
#pragma unroll
        for (int k = 0; k < 3; k++) {
            float4 a = ws[3 * c + k];
            sum.x = fmaf(a.x, v[k], sum.x);
            sum.y = fmaf(a.y, v[k], sum.y);
            sum.z = fmaf(a.z, v[k], sum.z);
            sum.w = fmaf(a.w, v[k], sum.w);
        }
    }
    float *to = out + ((size_t)blockIdx.z * 32 + o) * length + t;
    to[0] = tanhf(sum.x);
    to[length] = tanhf(sum.y);
    to[2 * length] = tanhf(sum.z);
    to[3 * length] = tanhf(sum.w);
}
