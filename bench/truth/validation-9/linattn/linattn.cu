// Linear attention with decay over 72 steps, heads of 32: s = g s + k v^T, out = q s. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void linattn_shared(float *out, const float *q, const float *k, const float *v, const float *decay, int steps)
{
    __shared__ float s[32][32], part[8][32], qs[32], ks[32], vs[32];
    int t = threadIdx.x, row = t / 32, col = t % 32;
    const float g = decay[blockIdx.x];
    for (int i = row; i < 32; i += 8)
        s[i][col] = 0.0f;
    for (int step = 0; step < steps; step++) {
        int at = (blockIdx.x * steps + step) * 32;
        if (t < 32)
            qs[t] = q[at + t];
        else if (t < 64)
            ks[col] = k[at + col];
        else if (t < 96)
            vs[col] = v[at + col];
        __syncthreads();
        float sum = 0.0f;
        for (int i = row; i < 32; i += 8) {
            s[i][col] = g * s[i][col] + ks[i] * vs[col];
            sum += qs[i] * s[i][col];
        }
        part[row][col] = sum;
        __syncthreads();
        if (row == 0) {
            for (int i = 1; i < 8; i++)
                sum += part[i][col];
            out[at + col] = sum;
        }
        __syncthreads();
    }
}

// A warp a head; a lane keeps a column of the state.
extern "C" __global__ void __launch_bounds__(64) linattn_registers(float *__restrict__ out, const float *__restrict__ q,
                                                                   const float *__restrict__ k, const float *__restrict__ v,
                                                                   const float *__restrict__ decay, int steps, int heads)
{
    __shared__ __align__(16) float qs[2][32], ks[2][32];
    int warp = threadIdx.x / 32, head = blockIdx.x * 2 + warp, lane = threadIdx.x % 32;
    if (head >= heads)
        return;
    float s[32], g = decay[head];
#pragma unroll
    for (int i = 0; i < 32; i++)
        s[i] = 0.0f;
    for (int step = 0; step < steps; step++) {
        int at = (head * steps + step) * 32 + lane;
        qs[warp][lane] = q[at];
        ks[warp][lane] = k[at];
        float own = v[at], sum = 0.0f;
        __syncwarp();
#pragma unroll
        for (int i = 0; i < 32; i += 4) {
            float4 k4 = *(float4 *)&ks[warp][i], q4 = *(float4 *)&qs[warp][i];
            s[i] = g * s[i] + k4.x * own;
            s[i + 1] = g * s[i + 1] + k4.y * own;
            s[i + 2] = g * s[i + 2] + k4.z * own;
            s[i + 3] = g * s[i + 3] + k4.w * own;
            sum += q4.x * s[i] + q4.y * s[i + 1] + q4.z * s[i + 2] + q4.w * s[i + 3];
        }
        out[at] = sum;
        __syncwarp();
    }
}
