// Edit distances of pairs of strings of 64 letters. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned char u8;
constexpr int L = 64;

// A row of the table in an array of the thread's own.
extern "C" __global__ void edits_thread(int *out, const u8 *a, const u8 *b, int pairs)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs)
        return;
    a += p * L;
    b += p * L;
    int row[L + 1];
    for (int j = 0; j <= L; j++)
        row[j] = j;
#pragma unroll 1
    for (int i = 1; i <= L; i++) {
        int corner = row[0], left = i;
        row[0] = i;
        u8 letter = a[i - 1];
#pragma unroll 1
        for (int j = 1; j <= L; j++) {
            int up = row[j];
            int best = min(min(up, left) + 1, corner + (letter != b[j - 1]));
            corner = up;
            row[j] = left = best;
        }
    }
    out[p] = row[L];
}

// A block a pair, a thread a row: three diagonals in shared memory.
extern "C" __global__ void edits_diagonals(int *out, const u8 *a, const u8 *b)
{
    __shared__ int d[3][L + 1];
    __shared__ u8 s[L];
    int i = threadIdx.x + 1;
    u8 letter = a[blockIdx.x * L + threadIdx.x];
    s[threadIdx.x] = b[blockIdx.x * L + threadIdx.x];
    if (threadIdx.x == 0) {
        d[0][0] = 0;
        d[1][0] = 1;
    }
    if (i == 1)
        d[1][1] = 1;
    __syncthreads();
    for (int k = 2; k <= 2 * L; k++) {
        int *now = d[k % 3], *last = d[(k + 2) % 3], *before = d[(k + 1) % 3];
        int j = k - i;
        if (j >= 1 && j <= L)
            now[i] = min(min(last[i - 1], last[i]) + 1, before[i - 1] + (letter != s[j - 1]));
        else if (j == 0)
            now[i] = i;
        if (threadIdx.x == 0 && k <= L)
            now[0] = k;
        __syncthreads();
    }
    if (i == L)
        out[blockIdx.x] = d[(2 * L) % 3][L];
}

// Myers: a column of the table as differences in the bits of two words.
extern "C" __global__ void edits_bits(int *out, const u8 *a, const u8 *b, int pairs)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs)
        return;
    const uchar4 *a4 = (const uchar4 *)(a + p * L), *b4 = (const uchar4 *)(b + p * L);
    unsigned long long as = 0, cs = 0, gs = 0, ts = 0;
    for (int i = 0; i < L / 4; i++) {
        uchar4 v = a4[i];
        u8 letters[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int k = 0; k < 4; k++) {
            unsigned long long bit = 1ull << (4 * i + k);
            if (letters[k] == 'A')
                as |= bit;
            else if (letters[k] == 'C')
                cs |= bit;
            else if (letters[k] == 'G')
                gs |= bit;
            else
                ts |= bit;
        }
    }
    unsigned long long more = ~0ull, less = 0;
    int distance = L;
    for (int j = 0; j < L / 4; j++) {
        uchar4 v = b4[j];
        u8 letters[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int k = 0; k < 4; k++) {
            unsigned long long same = letters[k] == 'A' ? as : letters[k] == 'C' ? cs : letters[k] == 'G' ? gs : ts;
            unsigned long long x = same | less, diagonal = (((same & more) + more) ^ more) | same;
            unsigned long long up = less | ~(diagonal | more), down = more & diagonal;
            distance += (int)(up >> 63) - (int)(down >> 63);
            up = up << 1 | 1;
            down <<= 1;
            more = down | ~(x | up);
            less = up & x;
        }
    }
    out[p] = distance;
}
