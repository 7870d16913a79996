// Ways in which one warp's words come to another through shared memory, all of them ordered: which of them does
// compute-sanitizer's racecheck see as ordered? The block has three warps. Each lane of the writers writes its words, and
// the readers read those of other lanes.
//   lane      the lanes of a warp meet (__syncwarp), and one arrives at an mbarrier for all
//   every     every lane arrives
//   named     every lane arrives at a named barrier (bar.arrive), where the readers wait (bar.sync)
//   joined    two warps meet at a named barrier, and one thread arrives at an mbarrier for both
//   chain     every lane arrives at an mbarrier; a thread that waits there arrives at another, where the readers wait
//   back      as lane, the other way: words are overwritten after one lane arrived for the lanes that have read them
//   round     as chain, the other way
// SPDX-License-Identifier: Apache-2.0
#include "../../../experiments/common/bulk.h"
#include "../../../experiments/common/told.h"

#define WARP 32
#define LANE 0
#define EVERY 1
#define NAMED 2
#define JOINED 3
#define CHAIN 4
#define BACK 5
#define ROUND 6

extern "C" __global__ void pass_words(int *out, const int *in)
{
    __shared__ int words[2 * WARP];
    __shared__ unsigned long long first, second;
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP, t = blockIdx.x * 2 * WARP, got = 0;
    if (threadIdx.x == 0) {
        mbarrier_init(&first, WAY == EVERY || WAY == CHAIN || WAY == ROUND ? WARP : 1);
        mbarrier_init(&second, 1);
        mbarrier_init_fence();
    }
    if (WAY == BACK || WAY == ROUND) {
        if (warp < 2)
            words[threadIdx.x] = in[t + threadIdx.x];
    }
    __syncthreads();
    if (WAY == BACK || WAY == ROUND) {
        if (warp == 1) { // all of a half, and the other half is left as it is
            got = words[2 * WARP - 1 - lane];
            __syncwarp();
            if (WAY == ROUND || lane == 0)
                mbarrier_arrive(&first);
            out[t + 2 * WARP - 1 - lane] = got;
        } else if (warp == 2 && WAY == ROUND) {
            if (lane == 0) {
                mbarrier_wait(&first, 0);
                mbarrier_arrive(&second);
            }
        } else if (warp == 0) {
            mbarrier_wait(WAY == ROUND ? &second : &first, 0);
            words[WARP + lane] = 0;
            out[t + lane] = words[lane] + words[WARP + lane];
        }
        return;
    }
    if (warp < 2) {
        words[threadIdx.x] = in[t + threadIdx.x];
        if (WAY == NAMED)
            asm volatile("bar.arrive 1, 96;" ::: "memory");
        if (WAY == JOINED) {
            role_barrier(1, 2);
            if (threadIdx.x == 0)
                mbarrier_arrive(&first);
        } else if (WAY != NAMED && warp == 0) {
            __syncwarp();
            if (WAY == EVERY || WAY == CHAIN || lane == 0)
                mbarrier_arrive(&first);
        } else if (WAY != NAMED) { // the second warp's words are its own
            out[t + WARP + lane] = words[WARP + lane];
            if (WAY == CHAIN && lane == 0) {
                mbarrier_wait(&first, 0);
                mbarrier_arrive(&second);
            }
        }
        return;
    }
    if (WAY == NAMED)
        role_barrier(1, 3);
    else
        mbarrier_wait(WAY == CHAIN ? &second : &first, 0);
    out[t + WARP - 1 - lane] = words[WARP - 1 - lane];
    if (WAY == NAMED || WAY == JOINED)
        out[t + 2 * WARP - 1 - lane] = words[2 * WARP - 1 - lane];
}
