// Look-ups in an open hash table with linear probing, half full. Two launches make it: one clears it, one puts the keys in,
// each with its place in their list. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int EMPTY = -1;

__device__ unsigned hash(unsigned key)
{
    key ^= key >> 16;
    key *= 0x85ebca6bu;
    key ^= key >> 13;
    key *= 0xc2b2ae35u;
    return key ^ key >> 16;
}

extern "C" __global__ void table_clear(int *slots, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size)
        slots[i] = EMPTY;
}

extern "C" __global__ void table_insert(int *slots, int *places, const int *items, int n, unsigned mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int key = items[i];
    unsigned at = hash(key) & mask;
    while (atomicCAS(&slots[at], EMPTY, key) != EMPTY)
        at = (at + 1) & mask;
    places[at] = i;
}

// A thread per query.
extern "C" __global__ void table_plain(int *out, const int *queries, const int *slots, const int *places, int n, unsigned mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int key = queries[i], found = EMPTY;
    for (unsigned at = hash(key) & mask;; at = (at + 1) & mask) {
        int slot = slots[at];
        if (slot == key) {
            found = places[at];
            break;
        }
        if (slot == EMPTY)
            break;
    }
    out[i] = found;
}

// Four queries a thread: each round looks at a slot of every query that goes on.
extern "C" __global__ void table_four(int4 *out, const int4 *queries, const int *slots, const int *places, int quads, unsigned mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads)
        return;
    int4 q = queries[i];
    int key[4] = {q.x, q.y, q.z, q.w}, slot[4];
    unsigned at[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        at[k] = hash(key[k]) & mask;
#pragma unroll
    for (int k = 0; k < 4; k++)
        slot[k] = slots[at[k]];
    bool more = true;
    while (more) {
        more = false;
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (slot[k] != key[k] && slot[k] != EMPTY) {
                at[k] = (at[k] + 1) & mask;
                slot[k] = slots[at[k]];
                more = true;
            }
    }
    int4 result;
    result.x = slot[0] == key[0] ? places[at[0]] : EMPTY;
    result.y = slot[1] == key[1] ? places[at[1]] : EMPTY;
    result.z = slot[2] == key[2] ? places[at[2]] : EMPTY;
    result.w = slot[3] == key[3] ? places[at[3]] : EMPTY;
    out[i] = result;
}
