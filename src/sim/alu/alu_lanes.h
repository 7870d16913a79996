// Expands the rows of a .def to functions of 32 lanes (alu.h). No include guard: a file includes it
// before the .def, and alu_row.h before the second time.
// SPDX-License-Identifier: Apache-2.0
#undef LANES1
#undef LANES2
#undef LANES3
#undef LANES4
#undef MASK1
#undef MASK2
#undef SELECT
#undef WHOLE
#define LANES1(id, form, D, A, expression, flops) \
    LANE_FUNCTION(id)                             \
    {                                             \
        UNUSED_SOURCES;                           \
        EACH_LANE(l)                              \
        {                                         \
            const A x = GET(A, a, l);             \
            PUT(D, d, l, expression);             \
        }                                         \
    }
#define LANES2(id, form, D, A, B, expression, flops) \
    LANE_FUNCTION(id)                                \
    {                                                \
        UNUSED_SOURCES;                              \
        EACH_LANE(l)                                 \
        {                                            \
            const A x = GET(A, a, l);                \
            const B y = GET(B, b, l);                \
            PUT(D, d, l, expression);                \
        }                                            \
    }
#define LANES3(id, form, D, A, B, C, expression, flops, needs) \
    LANE_FUNCTION(id)                                          \
    {                                                          \
        UNUSED_SOURCES;                                        \
        EACH_LANE(l)                                           \
        {                                                      \
            const A x = GET(A, a, l);                          \
            const B y = GET(B, b, l);                          \
            const C z = GET(C, c, l);                          \
            PUT(D, d, l, expression);                          \
        }                                                      \
    }
#define LANES4(id, form, D, A, B, C, E, expression, flops) \
    LANE_FUNCTION(id)                                      \
    {                                                      \
        UNUSED_SOURCES;                                    \
        EACH_LANE(l)                                       \
        {                                                  \
            const A x = GET(A, a, l);                      \
            const B y = GET(B, b, l);                      \
            const C z = GET(C, c, l);                      \
            const E w = GET(E, e, l);                      \
            PUT(D, d, l, expression);                      \
        }                                                  \
    }
#define MASK1(id, form, A, expression)        \
    LANE_FUNCTION(id)                         \
    {                                         \
        UNUSED_SOURCES;                       \
        s32 lanes[LANES];                     \
        EACH_LANE(l)                          \
        {                                     \
            const A x = GET(A, a, l);         \
            lanes[l] = (expression) ? -1 : 0; \
        }                                     \
        *(lane_u32 *)d = mask_of(lanes);      \
    }
#define MASK2(id, form, A, B, expression)     \
    LANE_FUNCTION(id)                         \
    {                                         \
        UNUSED_SOURCES;                       \
        s32 lanes[LANES];                     \
        EACH_LANE(l)                          \
        {                                     \
            const A x = GET(A, a, l);         \
            const B y = GET(B, b, l);         \
            lanes[l] = (expression) ? -1 : 0; \
        }                                     \
        *(lane_u32 *)d = mask_of(lanes);      \
    }
// z is the predicate.
#define SELECT(id, form, T)                             \
    LANE_FUNCTION(id)                                   \
    {                                                   \
        UNUSED_SOURCES;                                 \
        const u32 mask = *(const lane_u32 *)c;          \
        EACH_LANE(l)                                    \
        {                                               \
            const T x = GET(T, a, l), y = GET(T, b, l); \
            PUT(T, d, l, (mask >> l & 1) != 0 ? x : y); \
        }                                               \
    }
// A function of all lanes written out in the .c file.
#define WHOLE(id, form, result_bits, source_count, ...)
