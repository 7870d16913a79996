// Dynamic shared memory above 48 KiB. SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void reverse(float *y, const float *x, int piece)
{
    extern __shared__ float s[];
    const float *from = x + (size_t)blockIdx.x * piece;
    for (int i = threadIdx.x; i < piece; i += blockDim.x)
        s[i] = from[i];
    __syncthreads();
    for (int i = threadIdx.x; i < piece; i += blockDim.x)
        y[(size_t)blockIdx.x * piece + i] = s[piece - 1 - i];
}
