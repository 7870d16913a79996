// Sums of rows.
extern "C" __global__ void row_sums(float *y, const float *x, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = 0; r < rows && i < cols; i++)
        sum += x[(size_t)r * cols + i];
    if (r < rows)
        y[r] = sum;
}
