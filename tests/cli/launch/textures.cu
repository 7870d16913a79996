// Kernels that read textures and write surfaces, for tests of launches.
// SPDX-License-Identifier: Apache-2.0

// y[i] = x[i - 1] + x[i + 1]: what lies outside is 0.
__global__ void neighbours(cudaTextureObject_t x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = tex1Dfetch<float>(x, i - 1) + tex1Dfetch<float>(x, i + 1);
}

// An image shifted and shrunk, filtered.
__global__ void shrink(cudaTextureObject_t image, float *out, int width, int height, float dx, float dy)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = tex2D<float>(image, x * 1.25f + dx, y * 1.25f + dy);
}

// The same, coordinates from 0 to 1 of the whole, two turns of it.
__global__ void turns(cudaTextureObject_t image, float4 *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = tex2D<float4>(image, (x - width / 2) * (2.0f / width), (y - height / 2) * (2.0f / height));
}

// Each byte the mean of itself and its right neighbour, in place in another surface.
__global__ void soften(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        uchar4 a = surf2Dread<uchar4>(in, x * 4, y), b = surf2Dread<uchar4>(in, x * 4 + 4, y, cudaBoundaryModeClamp);
        surf2Dwrite(make_uchar4((a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2, (a.w + b.w) / 2), out, x * 4, y);
    }
}
