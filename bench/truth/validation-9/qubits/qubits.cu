// States of 14 qubits, each qubit turned about x by its angle. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ void turn(float2 &a, float2 &b, float c, float s)
{
    float2 u = a, v = b;
    a = make_float2(c * u.x + s * v.y, c * u.y - s * v.x);
    b = make_float2(c * v.x + s * u.y, c * v.y - s * u.x);
}

extern "C" __global__ void qubits_gate(float2 *out, const float2 *in, const float *angle, int qubit, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    int bit = 1 << qubit, at = (i / bit) * 2 * bit + i % bit;
    float2 a = in[at], b = in[at + bit];
    turn(a, b, cosf(0.5f * angle[qubit]), sinf(0.5f * angle[qubit]));
    out[at] = a;
    out[at + bit] = b;
}

// The gates of ten qubits on 1024 amplitudes in shared memory.
extern "C" __global__ void qubits_ten(float2 *out, const float2 *in, const float *angle)
{
    __shared__ float2 s[1024];
    int t = threadIdx.x, first = blockIdx.x * 1024;
    s[t] = in[first + t];
    s[t + 512] = in[first + t + 512];
    __syncthreads();
    for (int qubit = 0; qubit < 10; qubit++) {
        int bit = 1 << qubit, at = (t >> qubit << (qubit + 1)) + (t & bit - 1);
        float sine, cosine;
        sincosf(0.5f * angle[qubit], &sine, &cosine);
        turn(s[at], s[at + bit], cosine, sine);
        __syncthreads();
    }
    out[first + t] = s[t];
    out[first + t + 512] = s[t + 512];
}

// Three gates on eight amplitudes.
extern "C" __global__ void __launch_bounds__(128) qubits_three(float2 *out, const float2 *in, const float *__restrict__ angle, int qubit, int count)
{
    int i = blockIdx.x * 128 + threadIdx.x, bit = 1 << qubit;
    if (i >= count)
        return;
    int at = (i >> qubit << (qubit + 3)) + (i & bit - 1);
    float2 v[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        v[k] = in[at + k * bit];
#pragma unroll
    for (int g = 0; g < 3; g++) {
        float s, c;
        __sincosf(0.5f * angle[qubit + g], &s, &c);
#pragma unroll
        for (int k = 0; k < 8; k++)
            if ((k >> g & 1) == 0)
                turn(v[k], v[k + (1 << g)], c, s);
    }
#pragma unroll
    for (int k = 0; k < 8; k++)
        out[at + k * bit] = v[k];
}
