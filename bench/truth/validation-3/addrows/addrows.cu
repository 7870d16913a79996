// Row index[i] of out gets row i of in added, as an embedding's gradient does. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A thread per number, an atomic each.
extern "C" __global__ void add_atomic(float *out, const float *in, const int *index, int items, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < items * width)
        atomicAdd(&out[index[i / width] * width + i % width], in[i]);
}

// Items put in order by their row: counted,
extern "C" __global__ void add_count(int *count, const int *index, int items)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < items)
        atomicAdd(&count[index[i]], 1);
}

// their starts found by one block (count becomes where the next item of the row goes),
extern "C" __global__ void __launch_bounds__(1024) add_starts(int *starts, int *count, int rows)
{
    __shared__ int s[1024];
    int t = threadIdx.x, each = (rows + 1023) / 1024, sum = 0;
    for (int i = t * each; i < min(rows, (t + 1) * each); i++)
        sum += count[i];
    s[t] = sum;
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    int at = s[t] - sum;
    for (int i = t * each; i < min(rows, (t + 1) * each); i++) {
        int c = count[i];
        starts[i] = at;
        count[i] = at;
        at += c;
    }
    if (t == 1023)
        starts[rows] = s[1023];
}

// and each put into its place.
extern "C" __global__ void add_place(int *order, int *cursor, const int *index, int items)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < items)
        order[atomicAdd(&cursor[index[i]], 1)] = i;
}

// Then 64 threads a row of out add its items, without atomics.
extern "C" __global__ void add_segments(float *out, const float *in, const int *starts, const int *order, int rows, int width)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    int begin = starts[row], end = starts[row + 1];
    for (int col = threadIdx.x; col < width; col += blockDim.x) {
        float sum = 0.0f;
        for (int j = begin; j < end; j++)
            sum += in[order[j] * width + col];
        out[row * width + col] = sum;
    }
}
