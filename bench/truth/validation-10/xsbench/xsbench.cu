// Sums of five cross sections over the nuclides of a material, between the energies of each nuclide's grid. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void xsbench_grids(double *grid, const double *all)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    grid[i] = all[i % 256 * 32 + i / 256];
}

// The last energy that is not above e, but for the last one of all.
__device__ int below(const double *grid, int points, double e)
{
    int low = 0, high = points - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (grid[middle] > e)
            high = middle;
        else
            low = middle;
    }
    return low;
}

extern "C" __global__ void xsbench_search(double *out, const double *grid, const double *xs, const int *starts, const int *nuclide, const double *density,
                                          const double *energy, const int *material, int n, int points)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double sum[5] = {}, e = energy[i];
    for (int j = starts[material[i]]; j < starts[material[i] + 1]; j++) {
        const double *own = grid + nuclide[j] * points;
        int at = below(own, points, e);
        double part = (own[at + 1] - e) / (own[at + 1] - own[at]);
        const double *low = xs + (nuclide[j] * points + at) * 5, *high = low + 5;
        for (int k = 0; k < 5; k++)
            sum[k] += density[j] * (high[k] - part * (high[k] - low[k]));
    }
    for (int k = 0; k < 5; k++)
        out[5 * i + k] = sum[k];
}

// For each of all energies its place in each nuclide's grid.
extern "C" __global__ void xsbench_index(unsigned short *index, const double *grid, const double *all)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    index[i] = below(grid + i % 32 * 256, 256, all[i / 32]);
}

extern "C" __global__ void __launch_bounds__(128) xsbench_unified(double *__restrict__ out, const double *__restrict__ grid, const double *__restrict__ all,
                                                                  const unsigned short *__restrict__ index, const double *__restrict__ xs,
                                                                  const int *__restrict__ starts, const int *__restrict__ nuclide,
                                                                  const double *__restrict__ density, const double *__restrict__ energy,
                                                                  const int *__restrict__ material, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    double sum[5] = {}, e = energy[i];
    const unsigned short *row = index + below(all, 8192, e) * 32;
    int m = material[i], end = starts[m + 1];
    for (int j = starts[m]; j < end; j++) {
        int own = nuclide[j], at = own * 256 + row[own];
        double lower = grid[at], higher = grid[at + 1], part = (higher - e) / (higher - lower), d = density[j];
        const double *low = xs + at * 5;
#pragma unroll
        for (int k = 0; k < 5; k++)
            sum[k] += d * (low[5 + k] - part * (low[5 + k] - low[k]));
    }
#pragma unroll
    for (int k = 0; k < 5; k++)
        out[5 * i + k] = sum[k];
}
