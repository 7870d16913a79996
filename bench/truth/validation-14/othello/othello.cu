// Where a player may move: an empty square from which a straight row of the other's stones ends at one of his own. A board is the player's 64 bits and the other's. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned long long u64;

__constant__ int steps_x[8] = {-1, 0, 1, -1, 1, -1, 0, 1};
__constant__ int steps_y[8] = {-1, -1, -1, 0, 0, 1, 1, 1};

// A thread a square.
extern "C" __global__ void othello_rays(unsigned *moves, const u64 *boards, int n)
{
    int board = blockIdx.x * blockDim.y + threadIdx.y, s = threadIdx.x;
    if (board >= n)
        return;
    u64 other = boards[2 * board + 1], own = boards[2 * board] & ~other;
    bool legal = false;
    if (!((own | other) >> s & 1)) {
        for (int d = 0; d < 8 && !legal; d++) {
            int x = s % 8 + steps_x[d], y = s / 8 + steps_y[d], count = 0;
            while (x >= 0 && x < 8 && y >= 0 && y < 8 && (other >> (8 * y + x) & 1)) {
                x += steps_x[d];
                y += steps_y[d];
                count++;
            }
            if (count > 0 && x >= 0 && x < 8 && y >= 0 && y < 8 && (own >> (8 * y + x) & 1))
                legal = true;
        }
    }
    unsigned word = __ballot_sync(0xffffffffu, legal);
    if (s % 32 == 0)
        moves[2 * board + s / 32] = word;
}

template <int by>
__device__ __forceinline__ u64 shift(u64 v)
{
    return by > 0 ? v << by : v >> -by;
}

template <int by>
__device__ __forceinline__ u64 along(u64 own, u64 other, u64 empty)
{
    u64 flips = shift<by>(own) & other;
#pragma unroll
    for (int i = 0; i < 5; i++)
        flips |= shift<by>(flips) & other;
    return shift<by>(flips) & empty;
}

// A thread a board: all stones walk at once.
extern "C" __global__ void __launch_bounds__(128) othello_shifts(u64 *__restrict__ moves, const ulonglong2 *__restrict__ boards, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    ulonglong2 b = boards[i];
    u64 other = b.y, own = b.x & ~other, empty = ~(own | other), inner = other & 0x7e7e7e7e7e7e7e7eull;
    u64 legal = along<1>(own, inner, empty) | along<-1>(own, inner, empty) | along<7>(own, inner, empty) | along<-7>(own, inner, empty) | along<9>(own, inner, empty) | along<-9>(own, inner, empty);
    moves[i] = legal | along<8>(own, other, empty) | along<-8>(own, other, empty);
}
