// Inclusive sums that start anew where a flag is 0. Blocks leave the sum of what follows their last start and where their first start is. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void segscan_steps(int *out, int *sums, int *starts, const int *x, const unsigned char *flags, int n)
{
    __shared__ int s[512];
    __shared__ int f[512];
    __shared__ int first;
    int t = threadIdx.x, i = blockIdx.x * 512 + t;
    if (t == 0)
        first = 512;
    s[t] = i < n ? x[i] : 0;
    f[t] = i < n ? flags[i] == 0 : 0;
    __syncthreads();
    if (f[t])
        atomicMin(&first, t);
    for (int d = 1; d < 512; d *= 2) {
        int v = 0, g = 0;
        if (t >= d) {
            g = f[t - d];
            v = s[t - d];
        }
        __syncthreads();
        if (t >= d && !f[t]) {
            s[t] += v;
            f[t] = g;
        }
        __syncthreads();
    }
    if (i < n)
        out[i] = s[t];
    if (t == 511) {
        sums[blockIdx.x] = s[511];
        starts[blockIdx.x] = first;
    }
}

// One block: sums of blocks become what is carried into them. A block whose start is at its size has none.
extern "C" __global__ void __launch_bounds__(1024) segscan_sums(int *sums, const int *starts, int blocks, int size)
{
    __shared__ int s[1024], f[1024];
    int t = threadIdx.x, each = (blocks + 1023) / 1024, from = t * each, to = min(from + each, blocks), sum = 0, any = 0;
    for (int b = from; b < to; b++) {
        bool own = starts[b] < size;
        sum = own ? sums[b] : sum + sums[b];
        any |= own;
    }
    s[t] = sum;
    f[t] = any;
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        int v = t >= d ? s[t - d] : 0, g = t >= d ? f[t - d] : 0;
        __syncthreads();
        if (!f[t]) {
            s[t] += v;
            f[t] = g;
        }
        __syncthreads();
    }
    sum = t > 0 ? s[t - 1] : 0;
    for (int b = from; b < to; b++) {
        int v = sums[b];
        sums[b] = sum;
        sum = starts[b] < size ? v : sum + v;
    }
}

extern "C" __global__ void segscan_add(int *out, const int *sums, const int *starts, int n)
{
    int i = blockIdx.x * 512 + threadIdx.x;
    if (i < n && threadIdx.x < starts[blockIdx.x])
        out[i] += sums[blockIdx.x];
}

// Four numbers a thread, eight warps a block; n is a multiple of 4.
extern "C" __global__ void __launch_bounds__(256) segscan_shuffles(int4 *__restrict__ out, int *__restrict__ sums, int *__restrict__ starts, const int4 *__restrict__ x,
                                                                   const uchar4 *__restrict__ flags, int n)
{
    __shared__ int ws[8], wf[8], first[8];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5, i = blockIdx.x * 256 + t;
    int4 v = make_int4(0, 0, 0, 0);
    uchar4 g = make_uchar4(1, 1, 1, 1);
    if (4 * i < n) {
        v = x[i];
        g = flags[i];
    }
    v.y += g.y ? v.x : 0;
    v.z += g.z ? v.y : 0;
    v.w += g.w ? v.z : 0;
    int sum = v.w, any = !(g.x && g.y && g.z && g.w);
    unsigned with = __ballot_sync(0xffffffff, any), below = with & (0xffffffffu >> (31 - lane));
    int start = below ? 31 - __clz(below) : 0;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        int u = __shfl_up_sync(0xffffffff, sum, d);
        if (lane - d >= start)
            sum += u;
    }
    if (lane == 31) {
        ws[warp] = sum;
        wf[warp] = with != 0;
        if (!with)
            first[warp] = 1024;
    }
    if (with && lane == __ffs(with) - 1)
        first[warp] = 4 * t + (!g.x ? 0 : !g.y ? 1 : !g.z ? 2 : 3);
    __syncthreads();
    int carry = 0, least = 1024;
    for (int k = 0; k < warp; k++)
        carry = wf[k] ? ws[k] : carry + ws[k];
    if (t == 255) {
        for (int k = 0; k < 8; k++)
            least = min(least, first[k]);
        sums[blockIdx.x] = with ? sum : carry + sum;
        starts[blockIdx.x] = least;
    }
    int before = __shfl_up_sync(0xffffffff, sum, 1);
    if (lane == 0)
        before = carry;
    else if (!(with & ((1u << lane) - 1)))
        before += carry;
    if (4 * i < n) {
        if (g.x) {
            v.x += before;
            if (g.y) {
                v.y += before;
                if (g.z) {
                    v.z += before;
                    if (g.w)
                        v.w += before;
                }
            }
        }
        out[i] = v;
    }
}

extern "C" __global__ void __launch_bounds__(256) segscan_add4(int *__restrict__ out, const int *__restrict__ sums, const int *__restrict__ starts, int n)
{
    int t = 4 * threadIdx.x, i = blockIdx.x * 1024 + t, left = min(starts[blockIdx.x], n - blockIdx.x * 1024) - t, carry = sums[blockIdx.x];
    if (left >= 4) {
        int4 v = *(int4 *)&out[i];
        *(int4 *)&out[i] = make_int4(v.x + carry, v.y + carry, v.z + carry, v.w + carry);
    } else {
        for (int k = 0; k < left; k++)
            out[i + k] += carry;
    }
}
