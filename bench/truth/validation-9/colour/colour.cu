// Six rounds of a graph's colouring: a node whose number is larger than those of all its neighbours without a colour gets the round's colour. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ unsigned priority(unsigned i)
{
    i = (i ^ i >> 16) * 0x7feb352d;
    i = (i ^ i >> 15) * 0x846ca68b;
    return i ^ i >> 16;
}

extern "C" __global__ void colour_start(int *colour, int nodes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nodes)
        colour[i] = -1;
}

extern "C" __global__ void colour_thread(int *next, const int *colour, const int *starts, const int *to, int round, int nodes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nodes)
        return;
    int own = colour[i];
    if (own < 0) {
        bool largest = true;
        for (int k = starts[i]; k < starts[i + 1]; k++)
            if (colour[to[k]] < 0 && priority(to[k]) > priority(i))
                largest = false;
        if (largest)
            own = round;
    }
    next[i] = own;
}

extern "C" __global__ void __launch_bounds__(256) colour_warp(int *__restrict__ next, const int *__restrict__ colour, const int *__restrict__ starts,
                                                              const int *__restrict__ to, int round, int nodes)
{
    int i = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (i >= nodes)
        return;
    int own = colour[i];
    if (own < 0) {
        unsigned mine = priority(i), end = starts[i + 1];
        own = round;
        for (unsigned k = starts[i]; k < end; k += 32) {
            int n = k + lane < end ? to[k + lane] : i;
            if (__ballot_sync(0xffffffff, colour[n] < 0 && priority(n) > mine)) {
                own = -1;
                break;
            }
        }
    }
    if (lane == 0)
        next[i] = own;
}
