// SPDX-License-Identifier: Apache-2.0
#include "factor.h"

__kernel void twice(__global float *out, __global const float *in, int n)
{
    int i = get_global_id(0);
    if (i < n)
        out[i] = in[i] * 2;
}

__kernel void times(__global float *out, __global const float *in, int n)
{
    int i = get_global_id(0);
    if (i < n)
        out[i] = in[i] * FACTOR;
}

__kernel void twice_by_local(__global float *out, __global const float *in, __local float *tile,
                             float factor, int n)
{
    int i = get_global_id(0);
    tile[get_local_id(0)] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        out[i] = tile[get_local_id(0)] * factor;
}

__kernel void hang(__global float *out, __global const volatile float *in)
{
    while (in[0] < 2)
        ;
    out[0] = 1;
}

__kernel void wild(__global float *out)
{
    out[(size_t)1 << 44] = 1;
}

__kernel void two_locals(__global float *out, __local float *a, __local float *b)
{
    a[0] = b[0] = 1;
    out[0] = a[0] + b[0];
}
