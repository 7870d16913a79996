// A byte for each place of a text: does a pattern of eight letters begin here?. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void substr_letters(unsigned char *found, const unsigned char *text, const unsigned char *pattern, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    bool same = i + 8 <= n;
    for (int j = 0; same && j < 8; j++)
        if (text[i + j] != pattern[j])
            same = false;
    found[i] = same;
}

extern "C" __global__ void substr_shared(unsigned char *found, const unsigned char *text, const unsigned char *pattern, int n)
{
    __shared__ unsigned char s[519], p[8];
    int t = threadIdx.x, i = blockIdx.x * 512 + t;
    s[t] = i < n ? text[i] : 0;
    if (t < 7)
        s[512 + t] = i + 512 < n ? text[i + 512] : 0;
    if (t < 8)
        p[t] = pattern[t];
    __syncthreads();
    if (i >= n)
        return;
    int j = 0;
    while (j < 8 && s[t + j] == p[j])
        j++;
    found[i] = j == 8;
}

// Four places a thread: three words of the text, shifted to each place.
extern "C" __global__ void substr_words(uchar4 *__restrict__ found, const unsigned *__restrict__ text,
                                        const unsigned *__restrict__ pattern, int words)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= words)
        return;
    unsigned low = pattern[0], high = pattern[1];
    unsigned a = text[i], b = i + 1 < words ? text[i + 1] : 0, c = i + 2 < words ? text[i + 2] : 0;
    uchar4 same;
    same.x = a == low && b == high;
    same.y = __funnelshift_r(a, b, 8) == low && __funnelshift_r(b, c, 8) == high;
    same.z = __funnelshift_r(a, b, 16) == low && __funnelshift_r(b, c, 16) == high;
    same.w = __funnelshift_r(a, b, 24) == low && __funnelshift_r(b, c, 24) == high;
    found[i] = same;
}
