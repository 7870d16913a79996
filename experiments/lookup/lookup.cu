// y[i] = table[code[i]] * scale, as in reading quantised data: a table of 256 floats, an index for each element.
//   parameter_lookup  the table is a parameter of the kernel, passed by pointer; a global load an element
//   constant_lookup   the table in constant memory: lanes with different indexes take turns
//   shared_lookup     the table in shared memory: lanes whose words are in one bank take turns
//   wide_lookup       the same, four elements per lane: a word of codes in, 16 bytes out
//   columns_lookup    a copy of the table for each lane, in its own bank
// SPDX-License-Identifier: Apache-2.0
#define BLOCK 256
#define VALUES 256
#define WARP 32

#ifdef FACTOR // parameter_lookup's, in the code in place of the parameter
#define FACTOR_OF(scale) FACTOR
#else
#define FACTOR_OF(scale) scale
#endif

__constant__ float constant_table[VALUES];

extern "C" __global__ void parameter_lookup(float *y, const unsigned char *code, const float *table,
                                            float scale, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        y[i] = __ldg(&table[code[i]]) * FACTOR_OF(scale);
}

extern "C" __global__ void constant_lookup(float *y, const unsigned char *code, float scale, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        y[i] = constant_table[code[i]] * scale;
}

extern "C" __global__ void shared_lookup(float *y, const unsigned char *code, const float *table,
                                         float scale, int n)
{
    __shared__ float own[VALUES];
    int stride = gridDim.x * BLOCK;
    own[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += stride)
        y[i] = own[code[i]] * scale;
}

// The elements beyond the last four together.
static __device__ void lookup_rest(float *y, const unsigned char *code, const float *table, float scale,
                                   int n)
{
    int i = n / 4 * 4 + threadIdx.x;
    if (blockIdx.x == 0 && i < n)
        y[i] = table[code[i]] * scale;
}

extern "C" __global__ void wide_lookup(float *y, const unsigned char *code, const float *table,
                                       float scale, int n)
{
    __shared__ float own[VALUES];
    int stride = gridDim.x * BLOCK;
    own[threadIdx.x] = table[threadIdx.x] * scale;
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n / 4; i += stride) {
        unsigned word = ((const unsigned *)code)[i];
        __stcs((float4 *)y + i, make_float4(own[word & 255], own[word >> 8 & 255],
                                            own[word >> 16 & 255], own[word >> 24]));
    }
    lookup_rest(y, code, table, scale, n);
}

extern "C" __global__ void columns_lookup(float *y, const unsigned char *code, const float *table,
                                          float scale, int n)
{
    __shared__ float own[VALUES * WARP];
    int stride = gridDim.x * BLOCK;
    for (int w = threadIdx.x; w < VALUES * WARP; w += BLOCK)
        own[w] = table[w / WARP] * scale;
    __syncthreads();
    const float *column = own + threadIdx.x % WARP;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n / 4; i += stride) {
        unsigned word = ((const unsigned *)code)[i];
        __stcs((float4 *)y + i,
               make_float4(column[(word & 255) * WARP], column[(word >> 8 & 255) * WARP],
                           column[(word >> 16 & 255) * WARP], column[(word >> 24) * WARP]));
    }
    lookup_rest(y, code, table, scale, n);
}
