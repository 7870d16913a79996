// The mean of the embedding rows, 64 numbers each, that a bag names. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void bag_number(float *out, const float *table, const int *place, const int *starts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int bag = i / 64, column = i % 64;
    float sum = 0.0f;
    for (int j = starts[bag]; j < starts[bag + 1]; j++)
        sum += table[place[j] * 64 + column];
    int count = starts[bag + 1] - starts[bag];
    out[i] = count > 0 ? sum / count : 0.0f;
}

// Places are loaded by the lanes and handed round.
extern "C" __global__ void bag_warp(float2 *__restrict__ out, const float2 *__restrict__ table, const int *__restrict__ place,
                                    const int *__restrict__ starts, int bags)
{
    int bag = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (bag >= bags)
        return;
    int first = starts[bag], end = starts[bag + 1];
    float2 sum = make_float2(0.0f, 0.0f);
    for (int j = first; j < end; j += 32) {
        int own = j + lane < end ? place[j + lane] : 0, count = min(32, end - j);
        for (int i = 0; i < count; i++) {
            float2 v = table[__shfl_sync(0xffffffff, own, i) * 32 + lane];
            sum.x += v.x;
            sum.y += v.y;
        }
    }
    float part = end > first ? 1.0f / (end - first) : 0.0f;
    out[bag * 32 + lane] = make_float2(sum.x * part, sum.y * part);
}

// 16 threads a bag, 16 bytes each, two rows at a time.
extern "C" __global__ void bag_wide(float4 *__restrict__ out, const float4 *__restrict__ table, const int *__restrict__ place,
                                    const int *__restrict__ starts, int bags)
{
    int bag = blockIdx.x * blockDim.y + threadIdx.y, t = threadIdx.x;
    if (bag >= bags)
        return;
    int first = starts[bag], end = starts[bag + 1], j = first;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (; j + 1 < end; j += 2) {
        float4 v = table[place[j] * 16 + t], w = table[place[j + 1] * 16 + t];
        sum.x += v.x + w.x;
        sum.y += v.y + w.y;
        sum.z += v.z + w.z;
        sum.w += v.w + w.w;
    }
    if (j < end) {
        float4 v = table[place[j] * 16 + t];
        sum.x += v.x;
        sum.y += v.y;
        sum.z += v.z;
        sum.w += v.w;
    }
    float part = end > first ? 1.0f / (end - first) : 0.0f;
    out[bag * 16 + t] = make_float4(sum.x * part, sum.y * part, sum.z * part, sum.w * part);
}
