// Our own matrix products with CUTLASS' CuTe: c[m][n] = sum over k of a[m][k] * b[n][k], by blocks of 64 x 64 and steps of 32.
// make_cutlass.sh compiles them: sm80 copies by cp.async, reads fragments by ldmatrix and multiplies by mma.sync; sm90 multiplies
// by wgmma out of shared memory.
// SPDX-License-Identifier: Apache-2.0
#include <cute/tensor.hpp>
using namespace cute;

constexpr int TILE = 64, STEP = 32, THREADS = 128;
using Half = half_t;

// Each block's tiles of a, b and c.
template <class T> CUTE_DEVICE auto rows_of(T *at, int rows, int columns)
{
    return make_tensor(make_gmem_ptr(at), make_shape(rows, columns), make_stride(columns, Int<1>{}));
}

// 128 bits per thread, so that a warp reads whole sectors.
using Copy = decltype(make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<uint128_t>, Half>{},
                                      Layout<Shape<_32, _4>, Stride<_4, _1>>{}, Layout<Shape<_1, _8>>{}));

#if CUTE_KERNEL == 80
using Swizzled = decltype(composition(Swizzle<2, 3, 3>{}, Layout<Shape<_8, _32>, Stride<_32, _1>>{}));
using Tiled = decltype(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2>>{}, Tile<_32, _32, _16>{}));
#else
using Swizzled = GMMA::Layout_K_SW64_Atom<Half>;
using Tiled = decltype(make_tiled_mma(SM90_64x64x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>{}));
#endif
using Shared = decltype(tile_to_shape(Swizzled{}, Shape<Int<TILE>, Int<STEP>>{}));

extern "C" __global__ void __launch_bounds__(THREADS)
    product(float *c, const Half *a, const Half *b, int m, int n, int k)
{
    __shared__ alignas(128) Half a_bytes[cosize_v<Shared>], b_bytes[cosize_v<Shared>];
    Tensor a_tiles = local_tile(rows_of(a, m, k), Shape<Int<TILE>, Int<STEP>>{}, make_coord(blockIdx.x, _));
    Tensor b_tiles = local_tile(rows_of(b, n, k), Shape<Int<TILE>, Int<STEP>>{}, make_coord(blockIdx.y, _));
    Tensor c_tile = local_tile(rows_of(c, m, n), Shape<Int<TILE>, Int<TILE>>{}, make_coord(blockIdx.x, blockIdx.y));
    Tensor a_shared = make_tensor(make_smem_ptr(a_bytes), Shared{});
    Tensor b_shared = make_tensor(make_smem_ptr(b_bytes), Shared{});

    auto copying = Copy{}.get_slice(threadIdx.x);
    Tiled tiled;
    auto mine = tiled.get_slice(threadIdx.x);
    Tensor c_mine = mine.partition_C(c_tile);
    Tensor sums = mine.make_fragment_C(c_mine);
    clear(sums);
#if CUTE_KERNEL == 80
    auto a_reading = make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, Half>{}, tiled);
    auto b_reading = make_tiled_copy_B(Copy_Atom<SM75_U32x4_LDSM_N, Half>{}, tiled);
    auto a_slice = a_reading.get_slice(threadIdx.x);
    auto b_slice = b_reading.get_slice(threadIdx.x);
    Tensor a_mine = mine.partition_fragment_A(a_shared);
    Tensor b_mine = mine.partition_fragment_B(b_shared);
#else
    Tensor a_mine = mine.make_fragment_A(mine.partition_A(a_shared));
    Tensor b_mine = mine.make_fragment_B(mine.partition_B(b_shared));
#endif
    for (int step = 0; step < size<2>(a_tiles); step++) {
        copy(Copy{}, copying.partition_S(a_tiles(_, _, step)), copying.partition_D(a_shared));
        copy(Copy{}, copying.partition_S(b_tiles(_, _, step)), copying.partition_D(b_shared));
        cp_async_fence();
        cp_async_wait<0>();
        __syncthreads();
#if CUTE_KERNEL == 80
        copy(a_reading, a_slice.partition_S(a_shared), a_slice.retile_D(a_mine));
        copy(b_reading, b_slice.partition_S(b_shared), b_slice.retile_D(b_mine));
        gemm(tiled, a_mine, b_mine, sums);
#else
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        warpgroup_arrive();
        gemm(tiled, a_mine, b_mine, sums);
        warpgroup_commit_batch();
        warpgroup_wait<0>();
#endif
        __syncthreads();
    }
    copy(sums, c_mine);
}
