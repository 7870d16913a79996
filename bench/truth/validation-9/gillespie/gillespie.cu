// Random reactions of three species, until the third has 90 of 120 molecules or 160 have happened. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ unsigned next(unsigned &s)
{
    s = s * 747796405u + 2891336453u;
    unsigned w = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
    return w >> 22 ^ w;
}

extern "C" __global__ void gillespie_exact(int *molecules, float *time, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned s = i * 0x9e3779b9u;
    int a = 70, b = 40, c = 10;
    float t = 0.0f;
    for (int step = 0; step < steps && c < 90; step++) {
        int rate[4] = {3 * a, 2 * b, c, a * b / 16}, all = rate[0] + rate[1] + rate[2] + rate[3];
        t -= logf((next(s) + 0.5f) / 4294967296.0f) / all;
        int pick = (unsigned long long)next(s) * all >> 32;
        if (pick < rate[0]) {
            a--;
            b++;
        } else if (pick < rate[0] + rate[1]) {
            b--;
            c++;
        } else if (pick < rate[0] + rate[1] + rate[2]) {
            c--;
            a++;
        } else {
            a--;
            b--;
            c += 2;
        }
    }
    molecules[i] = a << 16 | b << 8 | c;
    time[i] = t;
}

// Choices without branches; the end is looked for after four steps.
extern "C" __global__ void __launch_bounds__(192) gillespie_fast(int *__restrict__ molecules, float *__restrict__ time, int n)
{
    int i = blockIdx.x * 192 + threadIdx.x;
    if (i >= n)
        return;
    unsigned s = i * 0x9e3779b9u;
    int a = 70, b = 40, c = 10;
    float t = 0.0f;
    for (int step = 0; step < 160 && c < 90; step += 4) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            bool on = c < 90;
            int first = 3 * a, second = first + 2 * b, third = second + c, all = third + a * b / 16;
            unsigned u = next(s), pick = __umulhi(next(s), all);
            int q1 = pick >= first, q2 = pick >= second, q3 = pick >= third;
            float wait = __fdividef(__logf((u + 0.5f) * 2.3283064e-10f), all);
            t -= on ? wait : 0.0f;
            // a: -1, 0, 1, -1; b: 1, -1, 0, -1; c: 0, 1, -1, 2
            a += on ? -1 + q1 + q2 - 2 * q3 : 0;
            b += on ? 1 - 2 * q1 + q2 - q3 : 0;
            c += on ? q1 - 2 * q2 + 3 * q3 : 0;
        }
    }
    molecules[i] = a << 16 | b << 8 | c;
    time[i] = t;
}
