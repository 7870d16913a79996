// What an H200's texture units do, for the simulated GPU to be held to: kernels for Nsight Compute to count, and
// the weights of the linear filter. texture_test.sh runs it.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                             \
    do {                                                                        \
        cudaError_t e = (call);                                                 \
        if (e != cudaSuccess) {                                                 \
            printf("%s: %s\n", #call, cudaGetErrorString(e));                   \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

enum { SIDE = 1024, STEPS = 8192 };

#define AT                                                                      \
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y

__global__ void by_index(cudaTextureObject_t t, float *out)
{
    AT;
    out[y * SIDE + x] = tex1Dfetch<float>(t, y * SIDE + x);
}

__global__ void along(cudaTextureObject_t t, float *out)
{
    AT;
    out[y * SIDE + x] = tex2D<float>(t, x + 0.5f, y + 0.5f);
}

__global__ void down(cudaTextureObject_t t, float *out)
{
    AT;
    out[y * SIDE + x] = tex2D<float>(t, y + 0.5f, x + 0.5f);
}

__global__ void surfaces(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
    AT;
    surf2Dwrite(surf2Dread<float>(from, x * 4, y), to, x * 4, y);
}

__global__ void weights(cudaTextureObject_t t, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= STEPS)
        out[i] = tex1D<float>(t, 0.5f + (float)i / STEPS);
}

static cudaTextureObject_t texture_of(const cudaResourceDesc &r, cudaTextureFilterMode filter)
{
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    d.filterMode = filter;
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}

// The weight of the second of two texels, 0 and 1, by the place between them: 8 bits of fraction, rounded to
// nearest.
static void print_weights(float *out)
{
    static float got[STEPS + 1];
    const float two[2] = {0, 1};
    cudaChannelFormatDesc f32 = cudaCreateChannelDesc<float>();
    cudaResourceDesc r = {};
    int differ = 0;
    r.resType = cudaResourceTypeArray;
    CHECK(cudaMallocArray(&r.res.array.array, &f32, 2));
    CHECK(cudaMemcpy2DToArray(r.res.array.array, 0, 0, two, 8, 8, 1, cudaMemcpyHostToDevice));
    weights<<<STEPS / 128 + 1, 128>>>(texture_of(r, cudaFilterModeLinear), out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i <= STEPS; i++)
        differ += got[i] != (float)(floor((double)i / STEPS * 256 + 0.5) / 256);
    printf("weights that are not i/256, rounded to nearest: %d of %d\n", differ, STEPS + 1);
}

int main()
{
    float *in, *out;
    dim3 grid(SIDE / 32, SIDE / 8), block(32, 8);
    cudaChannelFormatDesc f32 = cudaCreateChannelDesc<float>();
    cudaResourceDesc linear = {}, rows = {}, array[2] = {};
    cudaSurfaceObject_t surface[2];
    CHECK(cudaMalloc(&in, sizeof *in * SIDE * SIDE));
    CHECK(cudaMalloc(&out, sizeof *out * SIDE * SIDE));
    CHECK(cudaMemset(in, 0, sizeof *in * SIDE * SIDE));
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear = {in, f32, sizeof *in * SIDE * SIDE};
    rows.resType = cudaResourceTypePitch2D;
    rows.res.pitch2D = {in, f32, SIDE, SIDE, sizeof *in * SIDE};
    for (int i = 0; i < 2; i++) {
        array[i].resType = cudaResourceTypeArray;
        CHECK(cudaMallocArray(&array[i].res.array.array, &f32, SIDE, SIDE, cudaArraySurfaceLoadStore));
        CHECK(cudaCreateSurfaceObject(&surface[i], &array[i]));
    }
    by_index<<<grid, block>>>(texture_of(linear, cudaFilterModePoint), out);
    along<<<grid, block>>>(texture_of(rows, cudaFilterModePoint), out);
    along<<<grid, block>>>(texture_of(array[0], cudaFilterModePoint), out);
    down<<<grid, block>>>(texture_of(rows, cudaFilterModePoint), out);
    down<<<grid, block>>>(texture_of(array[0], cudaFilterModePoint), out);
    surfaces<<<grid, block>>>(surface[0], surface[1]);
    CHECK(cudaDeviceSynchronize());
    print_weights(out);
    return 0;
}
