#include <cstdio>
#define TILE 16
enum job { READ, WRITE = 4 };
typedef float real;
static int sm_count;
__constant__ float factor = 2;
template <typename T, job JOB, int STEP>
__global__ void walk(T *out, const T *in, const int *at, int rows, int columns, float a)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < rows)
        out[y * columns + x] = a * in[STEP * at[y]] + (JOB == WRITE);
}
__global__ void add_up(float *sums, int *tickets, const float *x, int n)
{
    extern __shared__ float part[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (threadIdx.x == 0)
        sums[atomicAdd(tickets, 1)] = part[0] + part[blockDim.x - 1];
}
__global__ void alone(float *y, int count) { y[blockIdx.x * 128 + threadIdx.x] = count; }
__global__ void nested(float **rows) { rows[0][0] = 1; }
static int up(int a, int b) { return 0; }
int ceil_div(int a, int b) { return (a + b - 1) / b; }
template <typename T> void launch_walk(T *d_out, T *d_in, int *d_at, int height, int width)
{
    dim3 threads(TILE, TILE / 2);
    dim3 blocks(ceil_div(width, TILE), ceil_div(height, threads.y));
    walk<T, WRITE, 3><<<blocks, threads>>>(d_out, d_in, d_at, height, width, 0.25f);
}
void launch_sums(float *sums, int *tickets, float *x, int n, int block_size)
{
    cudaMemset(tickets, 0, sizeof(int));
    const int grid_size = ceil_div(n, block_size);
    add_up<<<grid_size, block_size, block_size * sizeof(float)>>>(sums, tickets, x, n);
}
int main(int argc, char **argv)
{
    int n = 1 << 25, w = atoi(argv[1]), sizes[] = {64, 128};
    float *a = 0;
    launch_walk<real>(a, a, 0, 40, w);
    launch_sums(a, 0, a, n, sizes[1]);
    return up(1, 2);
}
