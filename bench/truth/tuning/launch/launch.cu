// The fixed part of a launch, for tuning the model of time: grids from one block to many, a little work each.
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void nothing(float *out)
{
    if (out == 0)
        __trap();
}

extern "C" __global__ void store_one(float *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

extern "C" __global__ void load_store(float *out, const float *in)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x] + 1;
}

// Four loads, each needs the one before.
extern "C" __global__ void chase4(unsigned *out, const unsigned *next)
{
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x, i = at;
    for (int s = 0; s < 4; s++)
        at = next[at];
    out[i] = at;
}

extern "C" __global__ void barriers8(float *out, const float *in)
{
    __shared__ float s[256];
    float v = in[blockIdx.x * 256 + threadIdx.x];
    for (int k = 0; k < 8; k++) {
        s[threadIdx.x] = v;
        __syncthreads();
        v += s[threadIdx.x ^ (1 << k)];
        __syncthreads();
    }
    out[blockIdx.x * 256 + threadIdx.x] = v;
}

extern "C" __global__ void copy16(uint4 *out, const uint4 *in)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
}
