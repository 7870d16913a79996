// Programs in postfix on rows of data. The lower three bits of a byte say what to do (a feature, a constant, +, -, *, a quotient that has no pole), the others with what; where two operands lack, a feature is meant. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void gp_local(float *error, const unsigned char *code, const float *x, const float *target, int length, int rows)
{
    __shared__ float sums[256];
    float sum = 0.0f;
    for (int row = threadIdx.x; row < rows; row += blockDim.x) {
        float stack[64];
        int depth = 0;
        for (int i = 0; i < length; i++) {
            int c = code[blockIdx.x * length + i], more = c >> 3;
            int op = c & 7;
            if (op > 3 && depth < 2)
                op = 0;
            switch (op) {
            case 0:
            case 1:
            case 2:
                stack[depth++] = x[(more & 7) * rows + row];
                break;
            case 3:
                stack[depth++] = more / 16.0f - 1.0f;
                break;
            case 4:
                depth--;
                stack[depth - 1] = stack[depth - 1] + stack[depth];
                break;
            case 5:
                depth--;
                stack[depth - 1] = stack[depth - 1] - stack[depth];
                break;
            case 6:
                depth--;
                stack[depth - 1] = stack[depth - 1] * stack[depth];
                break;
            case 7:
                depth--;
                stack[depth - 1] = stack[depth - 1] / sqrtf(1.0f + stack[depth] * stack[depth]);
                break;
            }
        }
        float d = stack[depth - 1] - target[row];
        sum += d * d;
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (threadIdx.x < d)
            sums[threadIdx.x] += sums[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        error[blockIdx.x] = sums[0];
}

__device__ __forceinline__ float warp_sum(float v)
{
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

// The program decoded once by a block's first thread; the top of the stack in a register.
extern "C" __global__ void __launch_bounds__(256) gp_shared(float *__restrict__ error, const unsigned char *__restrict__ code, const float *__restrict__ x, const float *__restrict__ target)
{
    __shared__ int program[32];
    __shared__ float sums[8];
    int t = threadIdx.x;
    if (t == 0) {
        int depth = 0;
        for (int i = 0; i < 32; i++) {
            int c = code[blockIdx.x * 32 + i], op = c & 7;
            if (op < 3 || (op > 3 && depth < 2))
                op = 0;
            depth += op > 3 ? -1 : 1;
            program[i] = op | c >> 3 << 3;
        }
    }
    __syncthreads();
    float sum = 0.0f;
    for (int row = t; row < 1024; row += 256) {
        float stack[32], top = 0.0f;
        int depth = 0;
        for (int i = 0; i < 32; i++) {
            int c = program[i], op = c & 7;
            if (op <= 3) {
                stack[depth++] = top;
                top = op == 0 ? x[(c >> 3 & 7) * 1024 + row] : (c >> 3) * 0.0625f - 1.0f;
            } else {
                float a = stack[--depth];
                if (op == 4)
                    top = a + top;
                else if (op == 5)
                    top = a - top;
                else if (op == 6)
                    top = a * top;
                else
                    top = a * rsqrtf(fmaf(top, top, 1.0f));
            }
        }
        float d = top - target[row];
        sum = fmaf(d, d, sum);
    }
    sum = warp_sum(sum);
    if (t % 32 == 0)
        sums[t / 32] = sum;
    __syncthreads();
    if (t == 0)
        error[blockIdx.x] = sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7];
}

// Two rows a thread, their stack in shared memory.
extern "C" __global__ void __launch_bounds__(128) gp_two(float *__restrict__ error, const unsigned char *__restrict__ code, const float *__restrict__ x, const float *__restrict__ target)
{
    __shared__ float2 stack[32][128];
    __shared__ unsigned words[8];
    __shared__ float sums[4];
    int t = threadIdx.x;
    if (t < 8)
        words[t] = ((const unsigned *)code)[blockIdx.x * 8 + t];
    __syncthreads();
    float sum = 0.0f;
    for (int row = t; row < 512; row += 128) {
        float2 top = make_float2(0.0f, 0.0f);
        int depth = 0;
        for (int w = 0; w < 8; w++) {
            unsigned word = words[w];
#pragma unroll
            for (int k = 0; k < 4; k++, word >>= 8) {
                unsigned op = word & 7, more = word >> 3 & 31;
                if (op <= 3 || depth < 2) {
                    stack[depth++][t] = top;
                    if (op == 3)
                        top.x = top.y = more * 0.0625f - 1.0f;
                    else
                        top = ((const float2 *)x)[(more & 7) * 512 + row];
                } else {
                    float2 a = stack[--depth][t];
                    switch (op) {
                    case 4:
                        top = make_float2(a.x + top.x, a.y + top.y);
                        break;
                    case 5:
                        top = make_float2(a.x - top.x, a.y - top.y);
                        break;
                    case 6:
                        top = make_float2(a.x * top.x, a.y * top.y);
                        break;
                    default:
                        top = make_float2(a.x * rsqrtf(fmaf(top.x, top.x, 1.0f)), a.y * rsqrtf(fmaf(top.y, top.y, 1.0f)));
                    }
                }
            }
        }
        float2 want = ((const float2 *)target)[row];
        float d = top.x - want.x, e = top.y - want.y;
        sum = fmaf(d, d, fmaf(e, e, sum));
    }
    sum = warp_sum(sum);
    if (t % 32 == 0)
        sums[t / 32] = sum;
    __syncthreads();
    if (t == 0)
        error[blockIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
}
