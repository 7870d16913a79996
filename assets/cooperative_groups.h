// Cooperative groups for clang without a CUDA toolkit: blocks, tiles of a warp, the active threads, clusters; as
// CUDA's headers name them. A grid's sync() needs CUDA's own. Written after the CUDA C++ Programming Guide.
// SPDX-License-Identifier: Apache-2.0
// clang-format off
#ifndef RIDGE_COOPERATIVE_GROUPS_H
#define RIDGE_COOPERATIVE_GROUPS_H

namespace cooperative_groups
{
#define RIDGE_CG __device__ __forceinline__
namespace ridge
{
RIDGE_CG unsigned lane() { unsigned r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
RIDGE_CG unsigned lanes_below() { unsigned r; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r)); return r; }
RIDGE_CG unsigned rank_in_block() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
RIDGE_CG unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
} // namespace ridge

class thread_block
{
public:
    RIDGE_CG void sync() const { __syncthreads(); }
    RIDGE_CG unsigned thread_rank() const { return ridge::rank_in_block(); }
    RIDGE_CG unsigned size() const { return ridge::block_threads(); }
    RIDGE_CG unsigned num_threads() const { return ridge::block_threads(); }
    RIDGE_CG dim3 thread_index() const { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    RIDGE_CG dim3 group_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    RIDGE_CG dim3 dim_threads() const { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    RIDGE_CG dim3 group_dim() const { return dim_threads(); }
};
RIDGE_CG thread_block this_thread_block() { return thread_block(); }

// Lanes of a warp by their mask; ranks count the lanes that are in it.
template <typename Self> class ridge_lanes
{
    RIDGE_CG unsigned mask() const { return static_cast<const Self *>(this)->ridge_mask(); }
    RIDGE_CG unsigned lane_of(unsigned rank) const { return static_cast<const Self *>(this)->ridge_lane(rank); }

public:
    RIDGE_CG void sync() const { __syncwarp(mask()); }
    RIDGE_CG int any(int p) const { return (__ballot_sync(mask(), p) & mask()) != 0; }
    RIDGE_CG int all(int p) const { return (__ballot_sync(mask(), p) & mask()) == mask(); }
    template <typename T> RIDGE_CG T shfl(T v, unsigned rank) const { return __shfl_sync(mask(), v, (int)lane_of(rank)); }
};

template <unsigned Size, typename Parent = void> class thread_block_tile : public ridge_lanes<thread_block_tile<Size, Parent>>
{
    static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "tiles of 1, 2, 4, 8, 16 or 32 threads");

public:
    RIDGE_CG thread_block_tile() {}
    template <typename P> RIDGE_CG thread_block_tile(const thread_block_tile<Size, P> &) {} // the parent is of no matter
    RIDGE_CG unsigned ridge_mask() const { return Size == 32 ? 0xffffffffu : ((1u << (Size & 31)) - 1) << (ridge::lane() & ~(Size - 1)); }
    RIDGE_CG unsigned ridge_lane(unsigned rank) const { return (ridge::lane() & ~(Size - 1)) + rank % Size; }
    RIDGE_CG unsigned thread_rank() const { return ridge::lane() & (Size - 1); }
    RIDGE_CG unsigned meta_group_rank() const { return ridge::rank_in_block() / Size; }
    RIDGE_CG unsigned meta_group_size() const { return (ridge::block_threads() + Size - 1) / Size; }
    RIDGE_CG static constexpr unsigned size() { return Size; }
    RIDGE_CG static constexpr unsigned num_threads() { return Size; }
    template <typename T> RIDGE_CG T shfl_down(T v, unsigned by) const { return __shfl_down_sync(ridge_mask(), v, by, (int)Size); }
    template <typename T> RIDGE_CG T shfl_up(T v, unsigned by) const { return __shfl_up_sync(ridge_mask(), v, by, (int)Size); }
    template <typename T> RIDGE_CG T shfl_xor(T v, unsigned by) const { return __shfl_xor_sync(ridge_mask(), v, (int)by, (int)Size); }
    RIDGE_CG unsigned ballot(int p) const { return (__ballot_sync(ridge_mask(), p) & ridge_mask()) >> (ridge::lane() & ~(Size - 1)); }
};
template <unsigned Size, typename Parent> RIDGE_CG thread_block_tile<Size, Parent> tiled_partition(const Parent &) { return {}; }

class coalesced_group : public ridge_lanes<coalesced_group>
{
    unsigned lanes;

public:
    RIDGE_CG explicit coalesced_group(unsigned mask) : lanes(mask) {}
    RIDGE_CG unsigned ridge_mask() const { return lanes; }
    RIDGE_CG unsigned ridge_lane(unsigned rank) const
    {
        unsigned left = lanes;
        for (unsigned i = 0; i < rank; i++)
            left &= left - 1;
        return (unsigned)__ffs((int)left) - 1;
    }
    RIDGE_CG unsigned thread_rank() const { return (unsigned)__popc(lanes & ridge::lanes_below()); }
    RIDGE_CG unsigned size() const { return (unsigned)__popc(lanes); }
    RIDGE_CG unsigned num_threads() const { return size(); }
};
RIDGE_CG coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

#if __CUDA_ARCH__ >= 900
class cluster_group
{
public:
    RIDGE_CG static void sync() { asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory"); }
    RIDGE_CG static unsigned block_rank() { unsigned r; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); return r; }
    RIDGE_CG static unsigned num_blocks() { unsigned r; asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(r)); return r; }
};
RIDGE_CG cluster_group this_cluster() { return {}; }
#endif

template <typename Group> RIDGE_CG void sync(const Group &g) { g.sync(); }

template <typename T> struct plus { RIDGE_CG T operator()(T a, T b) const { return a + b; } };
template <typename T> struct less { RIDGE_CG T operator()(T a, T b) const { return b < a ? b : a; } };
template <typename T> struct greater { RIDGE_CG T operator()(T a, T b) const { return a < b ? b : a; } };
template <typename T> struct bit_and { RIDGE_CG T operator()(T a, T b) const { return a & b; } };
template <typename T> struct bit_or { RIDGE_CG T operator()(T a, T b) const { return a | b; } };
template <typename T> struct bit_xor { RIDGE_CG T operator()(T a, T b) const { return a ^ b; } };
template <unsigned Size, typename Parent, typename T, typename Op>
RIDGE_CG T reduce(const thread_block_tile<Size, Parent> &tile, T v, Op op)
{
    for (unsigned by = Size / 2; by > 0; by /= 2)
        v = op(v, tile.shfl_xor(v, by));
    return v;
}
#undef RIDGE_CG
} // namespace cooperative_groups

#endif
