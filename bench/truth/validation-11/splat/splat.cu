// Gaussians in the order of their tile's list, blended from front to back. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void splat_list(float *out, const int *starts, const int *list, const float *xy, const float *ac, const float *b, const float *opacity,
                                      const float *colour, int side)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, tile = blockIdx.y * gridDim.x + blockIdx.x;
    float through = 1.0f, red = 0.0f, green = 0.0f, blue = 0.0f;
    for (int k = starts[tile]; k < starts[tile + 1]; k++) {
        int g = list[k];
        float dx = x - xy[2 * g], dy = y - xy[2 * g + 1];
        float power = -0.5f * (ac[2 * g] * dx * dx + ac[2 * g + 1] * dy * dy) - b[g] * dx * dy;
        float alpha = fminf(0.99f, opacity[g] * expf(power));
        if (alpha < 1.0f / 255.0f)
            continue;
        float next = through * (1.0f - alpha);
        if (next < 0.0001f)
            break;
        red += colour[3 * g] * alpha * through;
        green += colour[3 * g + 1] * alpha * through;
        blue += colour[3 * g + 2] * alpha * through;
        through = next;
    }
    int at = (y * side + x) * 3;
    out[at] = red;
    out[at + 1] = green;
    out[at + 2] = blue;
}

// 256 Gaussians at a time; the block ends when all of its pixels are opaque.
extern "C" __global__ void __launch_bounds__(256) splat_batches(float *out, const int *starts, const int *list, const float2 *xy, const float2 *ac,
                                                                const float *b, const float *opacity, const float *colour, int side)
{
    __shared__ int ids[256];
    __shared__ float2 places[256];
    __shared__ float4 shapes[256];
    int t = threadIdx.y * 16 + threadIdx.x, x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, tile = blockIdx.y * gridDim.x + blockIdx.x;
    int from = starts[tile], to = starts[tile + 1];
    bool done = false;
    float through = 1.0f, sum[3] = {};
    for (; from < to; from += 256) {
        if (__syncthreads_count(done) == 256)
            break;
        if (from + t < to) {
            int g = list[from + t];
            ids[t] = g;
            places[t] = xy[g];
            shapes[t] = make_float4(ac[g].x, b[g], ac[g].y, opacity[g]);
        }
        __syncthreads();
        for (int k = 0; !done && k < min(256, to - from); k++) {
            float dx = x - places[k].x, dy = y - places[k].y;
            float4 s = shapes[k];
            float alpha = fminf(0.99f, s.w * __expf(-0.5f * (s.x * dx * dx + s.z * dy * dy) - s.y * dx * dy));
            if (alpha < 1.0f / 255.0f)
                continue;
            float next = through * (1.0f - alpha);
            if (next < 0.0001f) {
                done = true;
                continue;
            }
            for (int c = 0; c < 3; c++)
                sum[c] += colour[3 * ids[k] + c] * alpha * through;
            through = next;
        }
    }
    for (int c = 0; c < 3; c++)
        out[(y * side + x) * 3 + c] = sum[c];
}

// Two pixels of a column a thread, eight rows apart; colours in shared memory.
extern "C" __global__ void __launch_bounds__(128)
    splat_two(float *__restrict__ out, const int *__restrict__ starts, const int *__restrict__ list, const float2 *__restrict__ xy,
              const float2 *__restrict__ ac, const float *__restrict__ b, const float *__restrict__ opacity, const float *__restrict__ colour, int side)
{
    __shared__ float4 shapes[128];
    __shared__ float4 rest[128];
    __shared__ float blues[128];
    int t = threadIdx.x, tile = blockIdx.y * gridDim.x + blockIdx.x, from = starts[tile], to = starts[tile + 1];
    float x = blockIdx.x * 16 + t % 16, y = blockIdx.y * 16 + t / 16, through[2] = {1.0f, 1.0f}, sum[2][3] = {};
    for (; from < to; from += 128) {
        if (__syncthreads_and(fmaxf(through[0], through[1]) < 0.0001f))
            break;
        if (from + t < to) {
            int g = list[from + t];
            float2 place = xy[g], shape = ac[g];
            shapes[t] = make_float4(-0.5f * shape.x, -b[g], -0.5f * shape.y, opacity[g]);
            rest[t] = make_float4(place.x, place.y, colour[3 * g], colour[3 * g + 1]);
            blues[t] = colour[3 * g + 2];
        }
        __syncthreads();
        int few = min(128, to - from);
#pragma unroll 2
        for (int k = 0; k < few; k++) {
            float4 s = shapes[k], r = rest[k];
            float dx = x - r.x, blue = blues[k];
#pragma unroll
            for (int p = 0; p < 2; p++) {
                float dy = y + 8 * p - r.y;
                float alpha = fminf(0.99f, s.w * __expf(s.x * dx * dx + s.z * dy * dy + s.y * dx * dy));
                float weight = alpha * through[p], next = through[p] - weight;
                if (alpha >= 1.0f / 255.0f) {
                    if (next >= 0.0001f) {
                        sum[p][0] += weight * r.z;
                        sum[p][1] += weight * r.w;
                        sum[p][2] += weight * blue;
                        through[p] = next;
                    } else
                        through[p] = 0.0f;
                }
            }
        }
    }
#pragma unroll
    for (int p = 0; p < 2; p++)
#pragma unroll
        for (int c = 0; c < 3; c++)
            out[((blockIdx.y * 16 + t / 16 + 8 * p) * side + blockIdx.x * 16 + t % 16) * 3 + c] = sum[p][c];
}
