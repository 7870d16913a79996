// h = exp(dt a) h + dt b x, y = c h: 16 states a channel, 128 steps. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void ssm_channel(float *y, const float *x, const float *dt, const float *a, const float *b, const float *c, int channels)
{
    int d = blockIdx.x * blockDim.x + threadIdx.x;
    if (d >= channels)
        return;
    float h[16] = {}, rate[16];
    for (int s = 0; s < 16; s++)
        rate[s] = a[d * 16 + s];
    for (int t = 0; t < 128; t++) {
        float step = dt[t * channels + d], in = step * x[t * channels + d], out = 0.0f;
        for (int s = 0; s < 16; s++) {
            h[s] = expf(step * rate[s]) * h[s] + in * b[t * 16 + s];
            out += h[s] * c[t * 16 + s];
        }
        y[t * channels + d] = out;
    }
}

// Sixteen lanes a channel, one state each.
extern "C" __global__ void ssm_lanes(float *y, const float *x, const float *dt, const float *a, const float *b, const float *c, int channels)
{
    int s = threadIdx.x, d = blockIdx.x * 8 + threadIdx.y;
    if (d >= channels)
        return;
    float h = 0.0f, rate = a[d * 16 + s];
    for (int t = 0; t < 128; t++) {
        float step = dt[t * channels + d];
        h = __expf(step * rate) * h + step * b[t * 16 + s] * x[t * channels + d];
        float out = h * c[t * 16 + s];
        for (int k = 8; k > 0; k >>= 1)
            out += __shfl_xor_sync(0xffffffff, out, k);
        if (s == 0)
            y[t * channels + d] = out;
    }
}

// Four threads a channel, four states each; 32 steps of all inputs lie in shared memory, outputs go back the same way.
extern "C" __global__ void __launch_bounds__(128) ssm_staged(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ dt,
                                                            const float *__restrict__ a, const float *__restrict__ b,
                                                            const float *__restrict__ c, int channels)
{
    __shared__ float xs[32][33], steps[32][33];
    __shared__ float4 bs[32][4], cs[32][4];
    int lane = threadIdx.x, warp = threadIdx.y, t = warp * 32 + lane, d0 = blockIdx.x * 32, group = t / 4, part = t % 4;
    float h[4] = {}, rate[4] = {};
    if (d0 + group < channels)
        for (int i = 0; i < 4; i++)
            rate[i] = a[(d0 + group) * 16 + part * 4 + i] * 1.44269504f;
    for (int base = 0; base < 128; base += 32) {
        for (int r = warp; r < 32; r += 4) {
            bool in = d0 + lane < channels;
            xs[r][lane] = in ? x[(base + r) * channels + d0 + lane] : 0.0f;
            steps[r][lane] = in ? dt[(base + r) * channels + d0 + lane] : 0.0f;
        }
        bs[t / 4][t % 4] = ((const float4 *)b)[base * 4 + t];
        cs[t / 4][t % 4] = ((const float4 *)c)[base * 4 + t];
        __syncthreads();
        for (int r = 0; r < 32; r++) {
            float step = steps[r][group], in = step * xs[r][group];
            float4 bv = bs[r][part], cv = cs[r][part];
            h[0] = exp2f(step * rate[0]) * h[0] + in * bv.x;
            h[1] = exp2f(step * rate[1]) * h[1] + in * bv.y;
            h[2] = exp2f(step * rate[2]) * h[2] + in * bv.z;
            h[3] = exp2f(step * rate[3]) * h[3] + in * bv.w;
            float out = h[0] * cv.x + h[1] * cv.y + h[2] * cv.z + h[3] * cv.w;
            out += __shfl_xor_sync(0xffffffff, out, 1);
            out += __shfl_xor_sync(0xffffffff, out, 2);
            __syncwarp();
            if (part == 0)
                xs[r][group] = out;
        }
        __syncthreads();
        for (int r = warp; r < 32; r += 4)
            if (d0 + lane < channels)
                y[(base + r) * channels + d0 + lane] = xs[r][lane];
        __syncthreads();
    }
}
