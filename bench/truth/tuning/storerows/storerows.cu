// A thread a row that stores: in place, to a row of another array, and first to the other and then there in place. For tuning the model
// of time.
// SPDX-License-Identifier: Apache-2.0
__device__ void place(unsigned *to, int pitch, int count)
{
    unsigned *row = to + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * pitch;
#pragma unroll 1
    for (int i = 0; i < count; i++)
        row[i] += 3;
}

__device__ void copy(unsigned *to, const unsigned *from, int pitch, int count)
{
    size_t begin = (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * pitch;
#pragma unroll 1
    for (int i = 0; i < count; i++)
        to[begin + i] = from[begin + i] + 3;
}

extern "C" __global__ void in_place(unsigned *to, const unsigned *from, int pitch, int count)
{
    place(to, pitch, count);
}

extern "C" __global__ void across(unsigned *to, const unsigned *from, int pitch, int count)
{
    copy(to, from, pitch, count);
}

extern "C" __global__ void both(unsigned *to, const unsigned *from, int pitch, int count)
{
    copy(to, from, pitch, count);
    place(to, pitch, count);
}

// Two rows to one: the shape of an embedding's sum.
extern "C" __global__ void two(unsigned *to, const unsigned *from, int pitch, int count)
{
    size_t begin = (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * pitch;
    const unsigned *other = from + (size_t)threadIdx.x * pitch;
#pragma unroll 1
    for (int i = 0; i < count; i++)
        to[begin + i] = from[begin + i] + other[i];
}
