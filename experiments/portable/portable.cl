// Sums of blocks of 1024 numbers, in OpenCL C; portable.cu is the same in CUDA C. The launch's shared memory is
// `extern __shared__` there and a pointer to __local memory here, which `args` does not list.
// SPDX-License-Identifier: Apache-2.0

void add_tree(__local float *tile, float own, __global float *sum)
{
    uint t = get_local_id(0);
    tile[t] = own;
    for (uint half_of = get_local_size(0) / 2; half_of > 0; half_of /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < half_of)
            tile[t] += tile[t + half_of];
    }
    if (t == 0)
        *sum = tile[0];
}

__kernel void sum_chunks(__global float *sums, __global const float *in)
{
    __local float tile[256];
    int first = get_group_id(0) * 1024 + get_local_id(0) * 4;
    float own = 0;
    for (int i = first; i < first + 4; i++)
        own += in[i];
    add_tree(tile, own, &sums[get_group_id(0)]);
}

__kernel void sum_strided(__global float *sums, __global const float *in)
{
    __local float tile[256];
    int first = get_group_id(0) * 1024 + get_local_id(0);
    float own = 0;
    for (int i = first; i < first + 1024; i += 256)
        own += in[i];
    add_tree(tile, own, &sums[get_group_id(0)]);
}

__kernel void sum_sized(__global float *sums, __global const float *in, __local float *tile)
{
    int first = get_group_id(0) * 1024 + get_local_id(0);
    float own = 0;
    for (int i = first; i < first + 1024; i += 256)
        own += in[i];
    add_tree(tile, own, &sums[get_group_id(0)]);
}
