// Paths of 24 forward rates over 14 quarters, and the value of a basket of caps on those that remain. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void libor_local(float *value, const float *z, const float *sigma, int paths, int rates, int steps)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= paths)
        return;
    float rate[24], delta = 0.25f;
    for (int i = 0; i < rates; i++)
        rate[i] = 0.051f;
    for (int t = 0; t < steps; t++) {
        float shock = sqrtf(delta) * z[t * paths + p], drift = 0.0f;
        for (int i = t + 1; i < rates; i++) {
            float vol = sigma[i - t - 1], term = delta * vol;
            drift += term * rate[i] / (1.0f + delta * rate[i]);
            rate[i] *= expf(vol * shock + term * (drift - 0.5f * vol));
        }
    }
    float discount = 1.0f, sum = 0.0f;
    for (int i = steps; i < rates; i++) {
        discount /= 1.0f + delta * rate[i];
        sum += discount * delta * fmaxf(rate[i] - 0.045f, 0.0f);
    }
    value[p] = 100.0f * sum;
}

extern "C" __global__ void __launch_bounds__(128) libor_registers(float *__restrict__ value, const float *__restrict__ z,
                                                                  const float *__restrict__ sigma, int paths)
{
    __shared__ float vols[48];
    int t = threadIdx.x, p = blockIdx.x * 128 + t;
    if (t < 48)
        vols[t] = t < 24 ? 0.0f : sigma[t - 24];
    __syncthreads();
    if (p >= paths)
        return;
    float rate[24];
#pragma unroll
    for (int i = 0; i < 24; i++)
        rate[i] = 0.051f;
    for (int step = 0; step < 14; step++) {
        float shock = 0.5f * z[step * paths + p], drift = 0.0f;
        const float *vol = vols + 23 - step;
        // Of rates that are past the volatility is 0.
#pragma unroll
        for (int i = 1; i < 24; i++) {
            float v = vol[i], term = 0.25f * v;
            drift += term * __fdividef(rate[i], fmaf(0.25f, rate[i], 1.0f));
            rate[i] *= __expf(fmaf(v, shock, term * (drift - 0.5f * v)));
        }
    }
    float discount = 1.0f, sum = 0.0f;
#pragma unroll
    for (int i = 14; i < 24; i++) {
        discount = __fdividef(discount, fmaf(0.25f, rate[i], 1.0f));
        sum += discount * fmaxf(rate[i] - 0.045f, 0.0f);
    }
    value[p] = 25.0f * sum;
}
