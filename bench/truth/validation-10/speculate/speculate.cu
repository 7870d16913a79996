// Sixteen drafted tokens of 128 a sequence, accepted until a ratio of probabilities is too low; then the token with the most left over. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void speculate_thread(int *accepted, int *token, const float *target, const float *draft, const int *drafted, const float *chance, int n,
                                            int drafts, int vocabulary)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int k = 0;
    for (; k < drafts; k++) {
        int own = drafted[i * drafts + k];
        float p = target[(i * (drafts + 1) + k) * vocabulary + own], q = draft[(i * drafts + k) * vocabulary + own];
        if (chance[i * drafts + k] >= p / q)
            break;
    }
    float most = -1.0f;
    int best = 0;
    for (int v = 0; v < vocabulary; v++) {
        float left = target[(i * (drafts + 1) + k) * vocabulary + v];
        if (k < drafts)
            left -= draft[(i * drafts + k) * vocabulary + v];
        if (left > most) {
            most = left;
            best = v;
        }
    }
    accepted[i] = k;
    token[i] = best;
}

extern "C" __global__ void __launch_bounds__(128) speculate_warp(int *__restrict__ accepted, int *__restrict__ token, const float *__restrict__ target,
                                                                 const float *__restrict__ draft, const int *__restrict__ drafted,
                                                                 const float *__restrict__ chance, int n)
{
    int i = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (i >= n)
        return;
    bool out = true;
    if (lane < 16) {
        int own = drafted[i * 16 + lane];
        out = chance[i * 16 + lane] >= target[(i * 17 + lane) * 128 + own] / draft[(i * 16 + lane) * 128 + own];
    }
    int k = __ffs(__ballot_sync(0xffffffff, out)) - 1;
    float4 left = *(const float4 *)&target[(i * 17 + k) * 128 + 4 * lane];
    if (k < 16) {
        float4 less = *(const float4 *)&draft[(i * 16 + k) * 128 + 4 * lane];
        left = make_float4(left.x - less.x, left.y - less.y, left.z - less.z, left.w - less.w);
    }
    float most = left.x;
    int best = 4 * lane;
    if (left.y > most) {
        most = left.y;
        best = 4 * lane + 1;
    }
    if (left.z > most) {
        most = left.z;
        best = 4 * lane + 2;
    }
    if (left.w > most) {
        most = left.w;
        best = 4 * lane + 3;
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        float other = __shfl_xor_sync(0xffffffff, most, d);
        int place = __shfl_xor_sync(0xffffffff, best, d);
        if (other > most || (other == most && place < best)) {
            most = other;
            best = place;
        }
    }
    if (lane == 0) {
        accepted[i] = k;
        token[i] = best;
    }
}
