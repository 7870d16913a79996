// Two steps of out = a * centre + b * (the six neighbours), zeros outside of a cube of N planes of N x N points at each of
// them.
//   plane_steps   a block walks down DEPTH planes with a thread for each point of a plane's tile and its halo of two: as a
//                 plane arrives the first step takes the plane before it, and the second one the plane before that. Along
//                 z a thread has its points in registers; those beside it come from shared memory
// SPDX-License-Identifier: Apache-2.0
#ifndef DEPTH
#define DEPTH 64
#endif
#ifndef BX
#define BX 32
#endif
#ifndef BY
#define BY 32
#endif

typedef float plane[BY][BX];

// Of the plane: the sides, above and below in y.
static __device__ float around(const plane &p, int x, int y)
{
    return (p[y - 1][x] + p[y + 1][x]) + (p[y][x - 1] + p[y][x + 1]);
}

extern "C" __global__ void __launch_bounds__(BX *BY) plane_steps(float *out, const float *in, int N, float a, float b)
{
    __shared__ plane read[2], stepped[2]; // the planes before: of `in`, and one step on
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * (BX - 4) + tx - 2, y = blockIdx.y * (BY - 4) + ty - 2;
    int from = blockIdx.z * DEPTH, to = min(N, from + DEPTH);
    bool inside = x >= 0 && x < N && y >= 0 && y < N;
    bool inner = tx > 0 && tx < BX - 1 && ty > 0 && ty < BY - 1;
    bool mine = inside && tx > 1 && tx < BX - 2 && ty > 1 && ty < BY - 2;
    auto load = [=](int z) { return inside && z >= 0 && z < N ? in[((size_t)z * N + y) * N + x] : 0; };
    float before = load(from - 2), here = load(from - 1), after = load(from), once_before = 0, once_here = 0;
    read[0][ty][tx] = here;
    stepped[0][ty][tx] = 0;
    __syncthreads();
    for (int z = from; z < to + 2; z++) {
        int now = (z - from) % 2;
        float later = load(z + 1); // on its way during this plane's steps
        float once = 0;
        if (inner && inside && z > 0 && z - 1 < N)
            once = a * here + b * (around(read[now], tx, ty) + (before + after));
        if (mine && z - 2 >= from)
            __stcs(out + ((size_t)(z - 2) * N + y) * N + x, a * once_here + b * (around(stepped[now], tx, ty) + (once_before + once)));
        read[1 - now][ty][tx] = after;
        stepped[1 - now][ty][tx] = once;
        __syncthreads();
        before = here;
        here = after;
        after = later;
        once_before = once_here;
        once_here = once;
    }
}
