// What kernels that ask for words by their places have in common: loads and stores of 1 to 16 bytes that a compiler leaves where they
// stand, and where a line's tags lie.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_BENCH_DEVICE_ACCESS_H
#define RIDGE_BENCH_DEVICE_ACCESS_H

#include <cstdint>

template <typename T> __device__ T get(const char *p)
{
    if constexpr (sizeof(T) == 16) {
        uint4 v;
        asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(p));
        return v;
    } else if constexpr (sizeof(T) == 8) {
        uint2 v;
        asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(p));
        return v;
    } else if constexpr (sizeof(T) == 4) {
        T v;
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p));
        return v;
    } else if constexpr (sizeof(T) == 2) {
        T v;
        asm volatile("ld.global.u16 %0, [%1];" : "=h"(v) : "l"(p));
        return v;
    } else {
        uint32_t v;
        asm volatile("ld.global.u8 %0, [%1];" : "=r"(v) : "l"(p));
        return (T)v;
    }
}
template <typename T> __device__ void put(char *p, T v)
{
    if constexpr (sizeof(T) == 16)
        asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y),
                     "r"(v.z), "r"(v.w));
    else if constexpr (sizeof(T) == 8)
        asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(p), "r"(v.x), "r"(v.y));
    else if constexpr (sizeof(T) == 4)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v));
    else if constexpr (sizeof(T) == 2)
        asm volatile("st.global.u16 [%0], %1;" ::"l"(p), "h"(v));
    else
        asm volatile("st.global.u8 [%0], %1;" ::"l"(p), "r"((uint32_t)v));
}
static inline __device__ uint32_t first(uint32_t v)
{
    return v;
}
static inline __device__ uint32_t first(uint2 v)
{
    return v.x;
}
static inline __device__ uint32_t first(uint4 v)
{
    return v.x;
}

// The place of a line among the tags' four banks: the exclusive or of these over its number's bits (docs/h200-rates.md, section 3).
static inline int bank_of(uint32_t line)
{
    static const int places[] = {1, 2, 1, 2, 3, 1, 2, 3, 2, 1, 2, 1, 3, 1};
    int bank = 0;
    for (int k = 0; k < 14; k++)
        bank ^= line >> k & 1 ? places[k] : 0;
    return bank;
}

#endif
