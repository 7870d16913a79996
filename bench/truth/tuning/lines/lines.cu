// Loads by how warps lay them over lines, found in L1, in L2 and in device memory; arrays of a thread in local memory: for tuning the
// model of time.
// SPDX-License-Identifier: Apache-2.0

// Words `apart` words from lane to lane; `each` turns go on by a word, so that lines are found again.
extern "C" __global__ void walk_apart(float *out, const float *in, unsigned apart, int each)
{
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * apart;
    float sum = 0;
    for (int k = 0; k < each; k++)
        sum += in[i + k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// A window of neighbours that slides over the lanes: every load but the first finds its lines on their way.
extern "C" __global__ void window(float *out, const float *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 24; k++)
        sum = sum * 0.5f + in[i + k];
    out[i] = sum;
}

// The same, a line further each time: each load has lines of its own.
extern "C" __global__ void window_lines(float *out, const float *in, int pitch)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum = sum * 0.5f + in[i + k * pitch];
    out[i] = sum;
}

// Rows that all blocks read, as a matrix product's: from L2, 16 bytes a lane, the next needs the sum of the one before or not.
extern "C" __global__ void shared_rows(float *out, const float4 *in, int rows, int pitch)
{
    float sum = 0;
    for (int k = 0; k < rows; k++) {
        float4 v = in[k * pitch + threadIdx.x];
        sum += v.x + v.y + v.z + v.w;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Numbers of a thread in local memory: sorted by insertion at indices that depend on them.
extern "C" __global__ void local_sort(float *out, const float *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[12];
#pragma unroll
    for (int k = 0; k < 12; k++)
        v[k] = in[i + k * 7];
#pragma unroll 1
    for (int k = 1; k < 12; k++) {
        float x = v[k];
        int at = k;
#pragma unroll 1
        while (at > 0 && v[at - 1] > x) {
            v[at] = v[at - 1];
            at--;
        }
        v[at] = x;
    }
    out[i] = v[6];
}

// Looked up at indices of the lanes.
extern "C" __global__ void local_table(float *out, const unsigned *in, int turns)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i];
    float v[16];
#pragma unroll 1
    for (int k = 0; k < 16; k++)
        v[k] = k * 0.5f;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < turns; k++, x = x * 5 + 1)
        sum += v[x >> 28];
    out[i] = sum;
}
