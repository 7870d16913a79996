// What the fake driver does for the tests of steps, as kernels: y = 2x by other ways to the memory.
// SPDX-License-Identifier: Apache-2.0
enum { ROW = 32 };

extern "C" __global__ void textured(float *out, cudaTextureObject_t in, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        out[i] = 2 * tex2D<float>(in, i % ROW + 0.5f, i / ROW + 0.5f);
}

extern "C" __global__ void surfaced(cudaSurfaceObject_t out, const float *in, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        surf2Dwrite(2 * in[i], out, i % ROW * 4, i / ROW);
}

extern "C" __global__ void plain(float *out, const float *in, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        out[i] = 2 * in[i];
}
