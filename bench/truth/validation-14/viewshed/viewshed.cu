// Which cells are seen from a tower: no cell on the line to one may stand above the line of sight. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ int floor_div(int a, int b)
{
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

extern "C" __global__ void viewshed_walk(unsigned char *out, const int *ground, int width, int height, int cx, int cy, int tower)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int eye = ground[cy * width + cx] + tower;
    int dx = x - cx, dy = y - cy, m = max(abs(dx), abs(dy)), own = ground[y * width + x] - eye;
    bool seen = true;
    for (int k = 1; k < m; k++) {
        int px = cx + floor_div(2 * dx * k + m, 2 * m);
        int py = cy + floor_div(2 * dy * k + m, 2 * m);
        int h = ground[py * width + px] - eye;
        if (h * m > own * k)
            seen = false;
    }
    out[y * width + x] = seen;
}

// Error terms in place of divisions; the walk ends at the first cell that hides its end.
extern "C" __global__ void __launch_bounds__(128) viewshed_early(unsigned char *__restrict__ out, const int *__restrict__ ground, int width, int height, int cx, int cy, int tower)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int eye = __ldg(&ground[cy * width + cx]) + tower, dx = x - cx, dy = y - cy, m = max(abs(dx), abs(dy)), own = ground[y * width + x] - eye;
    int px = cx, py = cy, ex = m, ey = m, bound = 0, k = 1;
    for (; k < m; k++) {
        ex += 2 * dx;
        ey += 2 * dy;
        if (ex >= 2 * m) {
            ex -= 2 * m;
            px++;
        } else if (ex < 0) {
            ex += 2 * m;
            px--;
        }
        if (ey >= 2 * m) {
            ey -= 2 * m;
            py++;
        } else if (ey < 0) {
            ey += 2 * m;
            py--;
        }
        bound += own;
        if ((__ldg(&ground[py * width + px]) - eye) * m > bound)
            break;
    }
    out[y * width + x] = k >= m;
}
