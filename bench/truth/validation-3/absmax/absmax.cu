// Each row in int8, scaled so that its largest becomes 127. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A block of 256 per row: a pass for the largest, a tree in shared memory, and a pass that rounds.
extern "C" __global__ void absmax_passes(signed char *out, float *scale, const float *in, int rows, int cols)
{
    __shared__ float s[256];
    int row = blockIdx.x, t = threadIdx.x;
    if (row >= rows)
        return;
    in += (size_t)row * cols;
    out += (size_t)row * cols;
    float most = 0;
    for (int i = t; i < cols; i += blockDim.x)
        most = fmaxf(most, fabsf(in[i]));
    s[t] = most;
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        if (t < d)
            s[t] = fmaxf(s[t], s[t + d]);
        __syncthreads();
    }
    float inverse = s[0] > 0 ? 127.0f / s[0] : 0;
    for (int i = t; i < cols; i += blockDim.x)
        out[i] = (signed char)max(-127.0f, min(127.0f, rintf(in[i] * inverse)));
    if (t == 0)
        scale[row] = s[0] / 127.0f;
}

// A warp per row of 1024, which stays in registers: eight float4 a lane.
extern "C" __global__ void absmax_kept(char4 *out, float *scale, const float4 *in, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float4 v[8];
    float most = 0;
#pragma unroll
    for (int q = 0; q < 8; q++) {
        v[q] = in[(size_t)row * 256 + q * 32 + lane];
        most = fmaxf(most, fmaxf(fmaxf(fabsf(v[q].x), fabsf(v[q].y)), fmaxf(fabsf(v[q].z), fabsf(v[q].w))));
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    float inverse = most > 0 ? 127.0f / most : 0;
#pragma unroll
    for (int q = 0; q < 8; q++)
        out[(size_t)row * 256 + q * 32 + lane] = make_char4(__float2int_rn(v[q].x * inverse), __float2int_rn(v[q].y * inverse),
                                                            __float2int_rn(v[q].z * inverse), __float2int_rn(v[q].w * inverse));
    if (lane == 0)
        scale[row] = most / 127.0f;
}
