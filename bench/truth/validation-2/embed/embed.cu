// Rows of a table by token, and the position's row on top: f32, some tokens far more frequent than others. Nothing is tuned
// on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A thread per number.
extern "C" __global__ void embed_number(float *out, const int *token, const float *table, const float *position, int tokens, int context, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = i / width, c = i % width;
    if (t < tokens)
        out[i] = table[(size_t)token[t] * width + c] + position[t % context * width + c];
}

// Four tokens a block, 48 threads with four numbers each.
extern "C" __global__ void embed_quad(float4 *out, const int *token, const float4 *table, const float4 *position, int tokens, int context, int quads)
{
    int t = blockIdx.x * blockDim.y + threadIdx.y, c = threadIdx.x;
    if (t >= tokens || c >= quads)
        return;
    float4 v = __ldg(&table[(size_t)token[t] * quads + c]), p = __ldg(&position[t % context * quads + c]);
    out[(size_t)t * quads + c] = make_float4(v.x + p.x, v.y + p.y, v.z + p.z, v.w + p.w);
}

// A warp per token walks over pairs.
extern "C" __global__ void embed_warp(float2 *out, const int *token, const float2 *table, const float2 *position, int tokens, int context, int pairs)
{
    int lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
    for (int t = (blockIdx.x * blockDim.x + threadIdx.x) / 32; t < tokens; t += warps) {
        int id = token[t];
        for (int c = lane; c < pairs; c += 32) {
            float2 v = table[(size_t)id * pairs + c], p = position[t % context * pairs + c];
            out[(size_t)t * pairs + c] = make_float2(v.x + p.x, v.y + p.y);
        }
    }
}
