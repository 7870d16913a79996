// Log-likelihood of sequences of 32 labels over 80 steps of 32 symbols; symbol 0 is blank. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#define NEVER -1e30f

extern "C" __global__ void ctc_block(float *loss, const float *logp, const int *labels, int steps)
{
    __shared__ float alpha[2][65];
    int s = threadIdx.x, label = 0;
    bool skip = false;
    logp += blockIdx.x * steps * 32;
    labels += blockIdx.x * 32;
    if (s < 65) {
        if (s % 2) {
            label = labels[s / 2];
            skip = s > 1 && labels[s / 2 - 1] != label;
        }
        alpha[0][s] = s < 2 ? logp[label] : NEVER;
    }
    __syncthreads();
    for (int t = 1; t < steps; t++) {
        if (s < 65) {
            const float *from = alpha[(t + 1) % 2];
            float a = from[s], b = s > 0 ? from[s - 1] : NEVER, c = skip ? from[s - 2] : NEVER;
            float top = fmaxf(a, fmaxf(b, c));
            float sum = top <= NEVER ? NEVER : top + logf(expf(a - top) + expf(b - top) + expf(c - top));
            alpha[t % 2][s] = sum + logp[t * 32 + label];
        }
        __syncthreads();
    }
    if (s == 0) {
        float a = alpha[(steps - 1) % 2][63], b = alpha[(steps - 1) % 2][64];
        float top = fmaxf(a, b);
        loss[blockIdx.x] = -(top + logf(expf(a - top) + expf(b - top)));
    }
}

__device__ float both(float a, float b)
{
    float top = fmaxf(a, b), low = fminf(a, b);
    return top + __logf(1.0f + __expf(low - top));
}

// A lane has a blank and the label after it; the last blank is every lane's.
extern "C" __global__ void ctc_warp(float *__restrict__ loss, const float *__restrict__ logp, const int *__restrict__ labels,
                                    int sequences)
{
    int seq = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (seq >= sequences)
        return;
    int label = labels[seq * 32 + lane], before = __shfl_up_sync(0xffffffff, label, 1);
    bool skip = lane > 0 && before != label;
    const float *p = logp + seq * 2560;
    float now = p[lane];
    float first = __shfl_sync(0xffffffff, now, 0), own = __shfl_sync(0xffffffff, now, label), last = NEVER;
    float blank = lane == 0 ? first : NEVER, labelled = lane == 0 ? own : NEVER;
    for (int t = 1; t < 80; t++) {
        now = p[t * 32 + lane];
        float pb = __shfl_sync(0xffffffff, now, 0), pl = __shfl_sync(0xffffffff, now, label);
        float up = __shfl_up_sync(0xffffffff, labelled, 1), end = __shfl_sync(0xffffffff, labelled, 31);
        if (lane == 0)
            up = NEVER;
        float l = both(labelled, blank);
        if (skip)
            l = both(l, up);
        last = both(last, end) + pb;
        blank = both(blank, up) + pb;
        labelled = l + pl;
    }
    float end = both(__shfl_sync(0xffffffff, labelled, 31), last);
    if (lane == 0)
        loss[seq] = -end;
}
