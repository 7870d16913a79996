// SPDX-License-Identifier: Apache-2.0
// Faulty kernels (bad_*) and their mended twins (good_*); tests/sim/faulty.def says how each is launched and
// what is to be found, "// fault" marks the lines where it may be reported. bench/sanitizer/run.sh makes
// tests/sim/faulty_{nvcc,clang}.ptx from this file and asks compute-sanitizer about the same kernels.
// Every kernel gets: out, n ints that nothing wrote; in, n ints 0, 1, 2…; count, n zeros.
#include <assert.h>

#define KERNEL extern "C" __global__ void
#define PARAMS int *out, const int *in, int *count, int n
#define INDEX (int)(blockIdx.x * blockDim.x + threadIdx.x)
extern __shared__ int dynamic[];

// ---- out of bounds: global memory
KERNEL bad_write_past_end(PARAMS)
{
    int i = INDEX;
    out[i] = in[i % n]; // fault
}
KERNEL good_write_past_end(PARAMS)
{
    int i = INDEX;
    if (i < n) out[i] = in[i];
}
KERNEL bad_read_past_end(PARAMS)
{
    int i = INDEX;
    if (i < n)
        out[i] = in[i + 1]; // fault
}
KERNEL good_read_past_end(PARAMS)
{
    int i = INDEX;
    if (i + 1 < n) out[i] = in[i + 1];
}
KERNEL bad_write_before_start(PARAMS)
{
    int i = INDEX;
    out[i - 1] = in[i]; // fault
}
KERNEL good_write_before_start(PARAMS)
{
    int i = INDEX;
    if (i > 0) out[i - 1] = in[i];
}
KERNEL bad_read_before_start(PARAMS)
{
    int i = INDEX;
    out[i] = in[i] -
             in[i - 1]; // fault
}
KERNEL good_read_before_start(PARAMS)
{
    int i = INDEX;
    out[i] = i > 0 ? in[i] - in[i - 1] : 0;
}
KERNEL bad_between_allocations(PARAMS)
{
    int i = INDEX;
    if (i < n) out[i] = in[i];
    if (i == 0)
        out[n + 2] = n; // fault
}
KERNEL good_between_allocations(PARAMS)
{
    int i = INDEX;
    if (i < n) out[i] = in[i];
    if (i == 0) count[2] = n;
}
KERNEL bad_last_block_off_by_one(PARAMS)
{
    int i = INDEX;
    if (i <= n)
        out[i] = i; // fault
}
KERNEL good_last_block_off_by_one(PARAMS)
{
    int i = INDEX;
    if (i < n) out[i] = i;
}
KERNEL bad_wrong_pitch(PARAMS) // rows of blockDim.x ints, stored with a pitch of one more
{
    int x = threadIdx.x, y = blockIdx.x, pitch = blockDim.x + 1;
    out[y * pitch + x] = in[y * (pitch - 1) + x]; // fault
}
KERNEL good_wrong_pitch(PARAMS)
{
    int x = threadIdx.x, y = blockIdx.x, pitch = blockDim.x;
    out[y * pitch + x] = in[y * pitch + x];
}
KERNEL bad_vector_tail(PARAMS) // the last int4 begins inside and ends outside
{
    int i = INDEX;
    if (4 * i < n) {
        int4 v = ((const int4 *)in)[i]; // fault
        out[i] = v.x + v.y + v.z + v.w;
    }
}
KERNEL good_vector_tail(PARAMS)
{
    int i = INDEX;
    if (4 * i + 3 < n) {
        int4 v = ((const int4 *)in)[i];
        out[i] = v.x + v.y + v.z + v.w;
    }
}
KERNEL bad_wrong_element_size(PARAMS)
{
    int i = INDEX;
    if (i < n)
        ((double *)out)[i] = i; // fault
}
KERNEL good_wrong_element_size(PARAMS)
{
    int i = INDEX;
    if (i < n / 2) ((double *)out)[i] = i;
}
KERNEL bad_unsigned_wrap(PARAMS)
{
    unsigned i = INDEX;
    out[i] = in[i];
    if (in[0] == 0)
        out[i] += in[i - 1u]; // fault
}
KERNEL good_unsigned_wrap(PARAMS)
{
    unsigned i = INDEX;
    out[i] = in[i];
    if (i > 0) out[i] += in[i - 1u];
}
KERNEL bad_atomic_past_end(PARAMS)
{
    int i = INDEX;
    atomicAdd(&count[in[i] + n / 2], 1); // fault
    out[i] = i;
}
KERNEL good_atomic_past_end(PARAMS)
{
    int i = INDEX;
    atomicAdd(&count[in[i] / 2], 1);
    out[i] = i;
}
KERNEL bad_null_pointer(PARAMS)
{
    int i = INDEX;
    int *p = in[i] == n - 1 ? (int *)(size_t)(n - 512) : out + i; // n is 512
    *p = i; // fault
}
KERNEL good_null_pointer(PARAMS)
{
    int i = INDEX;
    int *p = in[i] == n - 1 ? (int *)(size_t)(n - 512) : out + i; // n is 512
    if (p) *p = i;
}
KERNEL bad_use_after_free(PARAMS) // the host frees `count` before the launch
{
    int i = INDEX;
    count[i] = in[i]; // fault
    out[i] = i;
}
KERNEL good_use_after_free(PARAMS)
{
    int i = INDEX;
    count[i] = in[i];
    out[i] = i;
}

// ---- misaligned
KERNEL bad_misaligned_int4(PARAMS)
{
    int i = INDEX;
    if (i < n / 8)
        ((int4 *)(out + 1))[i] = make_int4(i, i, i, i); // fault
}
KERNEL good_misaligned_int4(PARAMS)
{
    int i = INDEX;
    if (i < n / 8) ((int4 *)out)[i] = make_int4(i, i, i, i);
}
KERNEL bad_misaligned_double(PARAMS)
{
    int i = INDEX;
    if (i < n / 4) {
        const double *d = (const double *)(in + 1);
        double x = d[i]; // fault
        out[i] = x > 1;
    }
}
KERNEL good_misaligned_double(PARAMS)
{
    int i = INDEX;
    if (i < n / 4) {
        const double *d = (const double *)in;
        double x = d[i];
        out[i] = x > 1;
    }
}
KERNEL bad_misaligned_byte_cursor(PARAMS)
{
    int i = INDEX;
    const char *bytes = (const char *)in;
    out[i] = *(const short *)(bytes + i); // fault
}
KERNEL good_misaligned_byte_cursor(PARAMS)
{
    int i = INDEX;
    const char *bytes = (const char *)in;
    out[i] = *(const short *)(bytes + 2 * i);
}
KERNEL bad_misaligned_shared(PARAMS)
{
    __shared__ __align__(16) int s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + 128] = in[t];
    __syncthreads();
    const long long *pair = (const long long *)(s + t);
    ((long long *)out)[t] = *pair; // fault
}
KERNEL good_misaligned_shared(PARAMS)
{
    __shared__ __align__(16) int s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + 128] = in[t];
    __syncthreads();
    const long long *pair = (const long long *)(s + 2 * t);
    ((long long *)out)[t] = *pair;
}

// ---- out of bounds: shared and local memory
KERNEL bad_shared_static_past_end(PARAMS)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t + 1] = in[t]; // fault
    __syncthreads();
    out[t] = t > 0 ? s[t] : 0;
}
KERNEL good_shared_static_past_end(PARAMS)
{
    __shared__ int s[129];
    int t = threadIdx.x;
    s[t + 1] = in[t];
    __syncthreads();
    out[t] = t > 0 ? s[t] : 0;
}
KERNEL bad_shared_dynamic_past_end(PARAMS) // launched with room for half the threads
{
    int t = threadIdx.x;
    dynamic[t] = in[t]; // fault
    __syncthreads();
    out[t] = dynamic[t ^ 1];
}
KERNEL good_shared_dynamic_past_end(PARAMS)
{
    int t = threadIdx.x, half = blockDim.x / 2;
    if (t < half) dynamic[t] = in[t];
    __syncthreads();
    out[t] = t < half ? dynamic[t ^ 1] : 0;
}
KERNEL bad_shared_before_start(PARAMS)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[t - 1]; // fault
}
KERNEL good_shared_before_start(PARAMS)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    out[t] = t > 0 ? s[t - 1] : 0;
}
KERNEL bad_shared_tile_column(PARAMS) // halo of a tile forgotten
{
    __shared__ int s[16][8];
    int x = threadIdx.x % 8, y = threadIdx.x / 8;
    s[y][x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[y][x] + s[y + 1][x]; // fault
}
KERNEL good_shared_tile_column(PARAMS)
{
    __shared__ int s[16][8];
    int x = threadIdx.x % 8, y = threadIdx.x / 8;
    s[y][x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[y][x] + (y < 15 ? s[y + 1][x] : 0);
}
KERNEL bad_local_past_end(PARAMS)
{
    int i = INDEX, a[8];
    for (int k = 0; k < 8; k++) a[k] = in[(i + k) % n];
    out[i] = a[in[i] % 1000 * 3]; // fault
}
KERNEL good_local_past_end(PARAMS)
{
    int i = INDEX, a[8];
    for (int k = 0; k < 8; k++) a[k] = in[(i + k) % n];
    out[i] = a[in[i] % 8];
}

// ---- reads of memory nothing wrote
KERNEL bad_uninitialised_global(PARAMS)
{
    int i = INDEX;
    out[i] += in[i]; // fault
}
KERNEL good_uninitialised_global(PARAMS)
{
    int i = INDEX;
    out[i] = in[i];
}
KERNEL bad_uninitialised_hole(PARAMS) // every other element is written
{
    int i = INDEX;
    if (in[i] % 2 == 0) out[i] = in[i];
    __syncthreads();
    count[i] = out[i]; // fault
}
KERNEL good_uninitialised_hole(PARAMS)
{
    int i = INDEX;
    out[i] = in[i] % 2 == 0 ? in[i] : 0;
    __syncthreads();
    count[i] = out[i];
}
KERNEL bad_uninitialised_shared(PARAMS)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    if (t < 100) s[t] = in[t];
    __syncthreads();
    out[t] = s[127 - t]; // fault
}
KERNEL good_uninitialised_shared(PARAMS)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = t < 100 ? in[t] : 0;
    __syncthreads();
    out[t] = s[127 - t];
}
KERNEL bad_uninitialised_accumulator(PARAMS) // shared bins never cleared
{
    __shared__ int s[16];
    int t = threadIdx.x;
    atomicAdd(&s[in[t] % 16], 1); // fault
    __syncthreads();
    if (t < 16) out[t] = s[t];
}
KERNEL good_uninitialised_accumulator(PARAMS)
{
    __shared__ int s[16];
    int t = threadIdx.x;
    if (t < 16) s[t] = 0;
    __syncthreads();
    atomicAdd(&s[in[t] % 16], 1);
    __syncthreads();
    if (t < 16) out[t] = s[t];
}
KERNEL bad_uninitialised_local(PARAMS)
{
    int i = INDEX, a[16];
    for (int k = 0; k < in[i] % 16; k++) a[k ^ (in[k] & 1)] = in[k];
    out[i] = a[in[i] * 7 % 16]; // fault
}
KERNEL good_uninitialised_local(PARAMS)
{
    int i = INDEX, a[16];
    for (int k = 0; k < 16; k++) a[k ^ (in[i] & 1)] = in[k];
    out[i] = a[in[i] * 7 % 16];
}

// ---- races in shared memory
KERNEL bad_race_no_barrier(PARAMS)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t]; // fault
    out[t] = s[127 - t]; // fault
}
KERNEL good_race_no_barrier(PARAMS)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[127 - t];
}
KERNEL bad_race_second_barrier(PARAMS) // the tile is loaded again while others still read
{
    __shared__ int s[128];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 4; k++) {
        s[t] = in[t + k]; // fault
        __syncthreads();
        sum += s[127 - t]; // fault
    }
    out[t] = sum;
}
KERNEL good_race_second_barrier(PARAMS)
{
    __shared__ int s[128];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 4; k++) {
        s[t] = in[t + k];
        __syncthreads();
        sum += s[127 - t];
        __syncthreads();
    }
    out[t] = sum;
}
KERNEL bad_race_warp_synchronous(PARAMS) // the last steps take two warps, as if one
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 64) s[t] += s[t + 64];     // fault
    if (t < 32) out[t] = s[t] + s[t + 32]; // fault
}
KERNEL good_race_warp_synchronous(PARAMS)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) out[t] = s[t] + s[t + 32];
}
KERNEL bad_race_no_syncwarp(PARAMS) // lanes of one warp
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t]; // fault
    out[t] = s[t ^ 1]; // fault
}
KERNEL good_race_no_syncwarp(PARAMS)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncwarp();
    out[t] = s[t ^ 1];
}
KERNEL bad_race_reduction_tree(PARAMS)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int d = 64; d > 0; d /= 2)
        if (t < d) s[t] += s[t + d]; // fault
    if (t == 0) out[blockIdx.x] = s[0]; // fault
}
KERNEL good_race_reduction_tree(PARAMS)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
KERNEL bad_race_histogram(PARAMS)
{
    __shared__ int s[16];
    int t = threadIdx.x;
    if (t < 16) s[t] = 0;
    __syncthreads();
    s[in[t] % 16]++; // fault
    __syncthreads();
    if (t < 16) out[t] = s[t];
}
KERNEL good_race_histogram(PARAMS)
{
    __shared__ int s[16];
    int t = threadIdx.x;
    if (t < 16) s[t] = 0;
    __syncthreads();
    atomicAdd(&s[in[t] % 16], 1);
    __syncthreads();
    if (t < 16) out[t] = s[t];
}
KERNEL bad_race_broadcast(PARAMS) // one thread writes, nobody waits
{
    __shared__ int pivot;
    int t = threadIdx.x;
    if (t == 0) pivot = in[5]; // fault
    out[t] = in[t] - pivot; // fault
}
KERNEL good_race_broadcast(PARAMS)
{
    __shared__ int pivot;
    int t = threadIdx.x;
    if (t == 0) pivot = in[5];
    __syncthreads();
    out[t] = in[t] - pivot;
}
KERNEL bad_race_carved_overlap(PARAMS) // two arrays carved from dynamic shared memory overlap
{
    int t = threadIdx.x, *a = dynamic, *b = dynamic + 64;
    a[t] = in[t]; // fault
    b[t] = in[t] * 2; // fault
    __syncthreads();
    out[t] = a[t] + b[127 - t];
}
KERNEL good_race_carved_overlap(PARAMS)
{
    int t = threadIdx.x, *a = dynamic, *b = dynamic + 128;
    a[t] = in[t];
    b[t] = in[t] * 2;
    __syncthreads();
    out[t] = a[t] + b[127 - t];
}
KERNEL bad_race_last_writer_wins(PARAMS) // threads write different values to one word
{
    __shared__ int last;
    int t = threadIdx.x;
    last = in[t]; // fault
    __syncthreads();
    out[t] = last;
}
KERNEL good_race_last_writer_wins(PARAMS) // the same value by all: harmless
{
    __shared__ int last;
    int t = threadIdx.x;
    last = in[7];
    __syncthreads();
    out[t] = last;
}
KERNEL bad_race_last_lane_wins(PARAMS) // the same within one warp
{
    __shared__ int last;
    int t = threadIdx.x;
    if (t < 32)
        last = in[t]; // fault
    __syncthreads();
    out[t] = last;
}
KERNEL good_race_last_lane_wins(PARAMS) // the same value by all: harmless
{
    __shared__ int last;
    int t = threadIdx.x;
    if (t < 32) last = in[7];
    __syncthreads();
    out[t] = last;
}
KERNEL bad_race_bytes(PARAMS) // every byte is written by two threads, in different words at times
{
    __shared__ char s[132];
    int t = threadIdx.x;
    s[t + 2] = (char)in[t]; // fault
    s[t + 3] = (char)(in[t] + 7); // fault
    __syncthreads();
    out[t] = s[t + 2];
}
KERNEL good_race_bytes(PARAMS) // threads of two warps write different bytes of one word
{
    __shared__ char s[132];
    int t = threadIdx.x;
    s[t + 2] = (char)in[t];
    __syncthreads();
    out[t] = s[t + 2];
}

// ---- races in global memory
KERNEL bad_race_counter_blocks(PARAMS)
{
    out[INDEX] = 0;
    if (threadIdx.x == 0)
        count[0] = count[0] + 1; // fault
}
KERNEL good_race_counter_blocks(PARAMS)
{
    out[INDEX] = 0;
    if (threadIdx.x == 0) atomicAdd(&count[0], 1);
}
KERNEL bad_race_counter_warps(PARAMS)
{
    out[INDEX] = 0;
    if (threadIdx.x % 32 == 0)
        count[blockIdx.x] += 1; // fault
}
KERNEL good_race_counter_warps(PARAMS)
{
    out[INDEX] = 0;
    if (threadIdx.x % 32 == 0) atomicAdd(&count[blockIdx.x], 1);
}
KERNEL bad_race_stencil_in_place(PARAMS)
{
    int i = INDEX;
    int left = i > 0 ? count[i - 1] : 0; // fault
    __syncthreads();
    count[i] = left + in[i]; // fault
    out[i] = i;
}
KERNEL good_race_stencil_in_place(PARAMS)
{
    int i = INDEX;
    int left = i > 0 ? count[i - 1] : 0;
    __syncthreads();
    out[i] = left + in[i];
}
KERNEL bad_race_double_write(PARAMS) // two blocks write one element, with different values
{
    int i = INDEX;
    out[i] = i; // fault
    if (threadIdx.x == 0 && i > 0)
        out[i - 1] = -i; // fault
}
KERNEL good_race_double_write(PARAMS)
{
    int i = INDEX;
    out[i] = i;
    if (threadIdx.x == 0 && i > 0) count[i - 1] = -i;
}
KERNEL bad_race_no_fence(PARAMS) // the last block to come sums what the others wrote
{
    __shared__ int last;
    if (threadIdx.x == 0) {
        out[blockIdx.x] = in[INDEX]; // fault
        last = atomicAdd(&count[0], 1) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x)
        atomicAdd(&count[1], ((volatile int *)out)[threadIdx.x]); // fault
}
KERNEL good_race_no_fence(PARAMS)
{
    __shared__ int last;
    if (threadIdx.x == 0) {
        out[blockIdx.x] = in[INDEX];
        __threadfence();
        last = atomicAdd(&count[0], 1) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x) atomicAdd(&count[1], ((volatile int *)out)[threadIdx.x]);
}
KERNEL good_race_flag_bytes(PARAMS)
{
    out[INDEX] = 0;
    ((char *)count)[INDEX] = 1;
    if (in[INDEX] % 3 == 0) count[n - 1] = 1;
}
KERNEL bad_race_flag_bytes(PARAMS) // threads of all blocks say what they found, each something else
{
    out[INDEX] = 0;
    ((char *)count)[INDEX] = 1;
    if (in[INDEX] % 3 == 0)
        count[n - 1] = in[INDEX]; // fault
}
KERNEL bad_race_plain_beside_atomic(PARAMS)
{
    out[INDEX] = 0;
    atomicAdd(&count[0], 1); // fault
    if (threadIdx.x == 0)
        count[0] = 0; // fault
}
KERNEL good_race_plain_beside_atomic(PARAMS)
{
    out[INDEX] = 0;
    atomicAdd(&count[0], 1);
    if (threadIdx.x == 0) atomicAdd(&count[1], 1);
}

// ---- barriers, shuffles, warp barriers
KERNEL bad_barrier_in_branch(PARAMS) // half of every warp
{
    int t = threadIdx.x;
    if (t % 32 < 16) {
        count[t] = 1;
        __syncthreads(); // fault
    }
    out[t] = in[t];
}
KERNEL good_barrier_in_branch(PARAMS)
{
    int t = threadIdx.x;
    if (t % 32 < 16) count[t] = 1;
    __syncthreads();
    out[t] = in[t];
}
KERNEL bad_barrier_after_exit(PARAMS) // some threads of a warp have returned
{
    int t = threadIdx.x;
    if (t >= 100) return;
    count[t] = in[t];
    __syncthreads(); // fault
    out[t] = count[99 - t];
}
KERNEL good_barrier_after_exit(PARAMS)
{
    int t = threadIdx.x;
    if (t < 100) count[t] = in[t];
    __syncthreads();
    if (t < 100) out[t] = count[99 - t];
}
KERNEL bad_barrier_loop_count(PARAMS) // warps go round a different number of times
{
    int t = threadIdx.x;
    for (int k = 0; k <= t / 64; k++) {
        count[t] += k;
        __syncthreads(); // fault
    }
    out[t] = in[t];
}
KERNEL good_barrier_loop_count(PARAMS)
{
    int t = threadIdx.x;
    for (int k = 0; k <= 1; k++) {
        if (k <= t / 64) count[t] += k;
        __syncthreads();
    }
    out[t] = in[t];
}
KERNEL bad_shuffle_mask(PARAMS) // all lanes named, half of them there
{
    int t = threadIdx.x, x = in[t];
    if (t % 32 < 16)
        x += __shfl_down_sync(0xffffffff, x, 8); // fault
    out[t] = x;
}
KERNEL good_shuffle_mask(PARAMS)
{
    int t = threadIdx.x, x = in[t];
    if (t % 32 < 16) x += __shfl_down_sync(0x0000ffff, x, 8, 16);
    out[t] = x;
}
KERNEL bad_shuffle_not_named(PARAMS) // lanes 16 to 31 run it and are not in the mask
{
    int t = threadIdx.x, x = in[t];
    x += __shfl_xor_sync(0x0000ffff, x, 1); // fault
    out[t] = x;
}
KERNEL good_shuffle_not_named(PARAMS)
{
    int t = threadIdx.x, x = in[t];
    x += __shfl_xor_sync(0xffffffff, x, 1);
    out[t] = x;
}
KERNEL bad_shuffle_from_absent(PARAMS) // the source lane is not in the mask
{
    int t = threadIdx.x, x = in[t];
    if (t % 32 < 16)
        x = __shfl_sync(0x0000ffff, x, 20); // fault
    out[t] = x;
}
KERNEL good_shuffle_from_absent(PARAMS)
{
    int t = threadIdx.x, x = in[t];
    if (t % 32 < 16) x = __shfl_sync(0x0000ffff, x, 10);
    out[t] = x;
}
KERNEL bad_syncwarp_mask(PARAMS)
{
    int t = threadIdx.x;
    if (t % 32 < 8) {
        count[t] = 1;
        __syncwarp(0xffffffff); // fault
        count[t] += 1;
    }
    out[t] = in[t];
}
KERNEL good_syncwarp_mask(PARAMS)
{
    int t = threadIdx.x;
    if (t % 32 < 8) {
        count[t] = 1;
        __syncwarp(0x000000ff);
        count[t] += 1;
    }
    out[t] = in[t];
}

// ---- the rest
KERNEL bad_endless_loop(PARAMS)
{
    int i = INDEX;
    volatile int *flag = count;
    while (flag[0] == 0) // fault
        ;
    out[i] = i;
}
KERNEL good_endless_loop(PARAMS)
{
    int i = INDEX;
    volatile int *flag = count;
    if (i == 0) flag[0] = 1;
    while (flag[0] == 0)
        ;
    out[i] = i;
}
KERNEL bad_trap(PARAMS)
{
    int i = INDEX;
    if (in[i] == n - 1) __trap(); // fault
    out[i] = i;
}
KERNEL good_trap(PARAMS)
{
    int i = INDEX;
    if (in[i] == n) __trap();
    out[i] = i;
}
KERNEL bad_assert(PARAMS)
{
    int i = INDEX;
    assert(in[i] < n - 1); // fault
    out[i] = i;
}
KERNEL good_assert(PARAMS)
{
    int i = INDEX;
    assert(in[i] < n);
    out[i] = i;
}
