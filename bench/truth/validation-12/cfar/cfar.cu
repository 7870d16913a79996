// Mean of up to 16 cells on each side of a cell of a row of 1024, without the four next to it. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void cfar_window(float *out, const float *in, int width, int guards, int cells)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
    const float *row = in + (size_t)blockIdx.y * width;
    float sum = 0.0f;
    for (int k = -guards - cells; k <= guards + cells; k++) {
        if (abs(k) <= guards || x + k < 0 || x + k >= width)
            continue;
        sum += row[x + k];
        count++;
    }
    out[(size_t)blockIdx.y * width + x] = sum / count;
}

extern "C" __global__ void __launch_bounds__(1024) cfar_prefix(float *__restrict__ out, const float *__restrict__ in)
{
    __shared__ float sums[1025], warps[32];
    int t = threadIdx.x, lane = t % 32;
    float sum = in[blockIdx.x * 1024 + t];
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        float other = __shfl_up_sync(0xffffffff, sum, d);
        sum += lane >= d ? other : 0.0f;
    }
    if (lane == 31)
        warps[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        float all = warps[t];
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            float other = __shfl_up_sync(0xffffffff, all, d);
            all += lane >= d ? other : 0.0f;
        }
        warps[t] = all;
    }
    __syncthreads();
    sums[t + 1] = sum + (t >= 32 ? warps[t / 32 - 1] : 0.0f);
    if (t == 0)
        sums[0] = 0.0f;
    __syncthreads();
    int a = max(t - 20, 0), b = max(t - 4, 0), c = min(t + 5, 1024), d = min(t + 21, 1024);
    out[blockIdx.x * 1024 + t] = __fdividef(sums[b] - sums[a] + sums[d] - sums[c], (float)(b - a + d - c));
}

// Eight cells a thread: both sums lose a cell and gain one.
extern "C" __global__ void __launch_bounds__(128) cfar_running(float4 *__restrict__ out, const float4 *__restrict__ in)
{
    __shared__ __align__(16) float s[1072];
    int t = threadIdx.x, first = 8 * t;
    if (t < 48)
        s[t < 20 ? t : 1024 + t] = 0.0f;
#pragma unroll
    for (int k = t; k < 256; k += 128)
        *(float4 *)&s[20 + 4 * k] = in[blockIdx.x * 256 + k];
    __syncthreads();
    float before = 0.0f, after = 0.0f, mean[8];
#pragma unroll
    for (int k = 0; k < 16; k++) {
        before += s[first + k];
        after += s[first + 25 + k];
    }
#pragma unroll
    for (int j = 0; j < 8; j++) {
        int x = first + j, cells = min(max(x - 4, 0), 16) + min(max(1019 - x, 0), 16);
        mean[j] = __fdividef(before + after, (float)cells);
        before += s[x + 16] - s[x];
        after += s[x + 41] - s[x + 25];
    }
    out[blockIdx.x * 256 + 2 * t] = make_float4(mean[0], mean[1], mean[2], mean[3]);
    out[blockIdx.x * 256 + 2 * t + 1] = make_float4(mean[4], mean[5], mean[6], mean[7]);
}
