// kernels.cu in OpenCL C, for Oclgrind.
// SPDX-License-Identifier: Apache-2.0

kernel void transpose_naive(global float *out, global const float *in, int n)
{
    int x = get_group_id(0) * 16 + get_local_id(0), y = get_group_id(1) * 16 + get_local_id(1);
    out[x * n + y] = in[y * n + x];
}

kernel void transpose_tiled(global float *out, global const float *in, int n)
{
    local float tile[16][17];
    int x = get_group_id(0) * 16 + get_local_id(0), y = get_group_id(1) * 16 + get_local_id(1);
    tile[get_local_id(1)][get_local_id(0)] = in[y * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * 16 + get_local_id(0);
    y = get_group_id(0) * 16 + get_local_id(1);
    out[y * n + x] = tile[get_local_id(0)][get_local_id(1)];
}

kernel void reduce_tree(global float *out, global const float *in, int n)
{
    local float part[256];
    int i = get_group_id(0) * 256 + get_local_id(0);
    part[get_local_id(0)] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_way = 128; half_way > 0; half_way >>= 1) {
        if (get_local_id(0) < half_way)
            part[get_local_id(0)] += part[get_local_id(0) + half_way];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = part[0];
}

kernel void histogram(global unsigned *bins, global const unsigned *in, int n)
{
    local unsigned counts[256];
    counts[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_group_id(0) * 256 + get_local_id(0); i < n; i += get_num_groups(0) * 256)
        atomic_inc(&counts[(in[i] * 2654435761u) >> 24]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[get_local_id(0)], counts[get_local_id(0)]);
}

kernel void matmul_tiled(global float *c, global const float *a, global const float *b, int n)
{
    local float ta[16][16], tb[16][16];
    int x = get_group_id(0) * 16 + get_local_id(0), y = get_group_id(1) * 16 + get_local_id(1);
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        ta[get_local_id(1)][get_local_id(0)] = a[y * n + k + get_local_id(0)];
        tb[get_local_id(1)][get_local_id(0)] = b[(k + get_local_id(1)) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 16; i++)
            sum += ta[get_local_id(1)][i] * tb[i][get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}
