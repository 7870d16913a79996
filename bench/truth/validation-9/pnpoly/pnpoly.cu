// In which of three polygons of 60 corners points lie, by crossings of a ray; places are whole numbers below 4096. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void pnpoly_thread(unsigned char *inside, const int *px, const int *py, const int *cx, const int *cy, int n, int corners)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x, bits = 0;
    if (p >= n)
        return;
    for (int polygon = 0; polygon < 3; polygon++) {
        const int *x = cx + polygon * corners, *y = cy + polygon * corners;
        bool in = false;
        for (int i = 0, j = corners - 1; i < corners; j = i++)
            if ((y[i] > py[p]) != (y[j] > py[p]) && px[p] - x[i] < (float)((x[j] - x[i]) * (py[p] - y[i])) / (y[j] - y[i]))
                in = !in;
        bits |= in << polygon;
    }
    inside[p] = bits;
}

extern "C" __global__ void pnpoly_shared(unsigned char *inside, const int *px, const int *py, const int *cx, const int *cy, int n)
{
    __shared__ int x[180], y[180];
    int t = threadIdx.x, p = blockIdx.x * blockDim.x + t, bits = 0;
    for (int i = t; i < 180; i += blockDim.x) {
        x[i] = cx[i];
        y[i] = cy[i];
    }
    __syncthreads();
    if (p >= n)
        return;
    int u = px[p], v = py[p];
    for (int polygon = 0; polygon < 3; polygon++) {
        bool in = false;
        for (int i = polygon * 60, j = i + 59, end = i + 60; i < end; j = i++)
            if ((y[i] > v) != (y[j] > v) && u - x[i] < (float)((x[j] - x[i]) * (v - y[i])) / (y[j] - y[i]))
                in = !in;
        bits |= in << polygon;
    }
    inside[p] = bits;
}

// Signs of products in place of a division.
extern "C" __global__ void __launch_bounds__(128) pnpoly_two(uchar2 *__restrict__ inside, const int2 *__restrict__ px, const int2 *__restrict__ py,
                                                             const int *__restrict__ cx, const int *__restrict__ cy, int pairs)
{
    __shared__ int2 corner[180];
    int t = threadIdx.x, p = blockIdx.x * 128 + t;
    for (int i = t; i < 180; i += 128)
        corner[i] = make_int2(cx[i], cy[i]);
    __syncthreads();
    if (p >= pairs)
        return;
    int2 u = px[p], v = py[p];
    unsigned bits[2] = {};
#pragma unroll
    for (int polygon = 0; polygon < 3; polygon++) {
        int2 b = corner[polygon * 60 + 59];
        unsigned in0 = 0, in1 = 0;
#pragma unroll 4
        for (int i = polygon * 60; i < polygon * 60 + 60; i++) {
            int2 a = corner[i];
            int dx = b.x - a.x, dy = b.y - a.y;
            int side0 = (u.x - a.x) * dy - dx * (v.x - a.y), side1 = (u.y - a.x) * dy - dx * (v.y - a.y);
            in0 ^= ((a.y > v.x) != (b.y > v.x)) & (dy > 0 ? side0 < 0 : side0 > 0);
            in1 ^= ((a.y > v.y) != (b.y > v.y)) & (dy > 0 ? side1 < 0 : side1 > 0);
            b = a;
        }
        bits[0] |= in0 << polygon;
        bits[1] |= in1 << polygon;
    }
    inside[p] = make_uchar2(bits[0], bits[1]);
}
