// Expands the rows of a .def to initialisers of struct alu_row (alu.h). No include guard.
// SPDX-License-Identifier: Apache-2.0
#undef LANES1
#undef LANES2
#undef LANES3
#undef LANES4
#undef MASK1
#undef MASK2
#undef SELECT
#undef WHOLE
#define LANES1(id, form, D, A, expression, flops) {form, id, WIDTH_##D, 1, {WIDTH_##A}, flops, 0},
#define LANES2(id, form, D, A, B, expression, flops) \
    {form, id, WIDTH_##D, 2, {WIDTH_##A, WIDTH_##B}, flops, 0},
#define LANES3(id, form, D, A, B, C, expression, flops, needs) \
    {form, id, WIDTH_##D, 3, {WIDTH_##A, WIDTH_##B, WIDTH_##C}, flops, needs},
#define LANES4(id, form, D, A, B, C, E, expression, flops) \
    {form, id, WIDTH_##D, 4, {WIDTH_##A, WIDTH_##B, WIDTH_##C, WIDTH_##E}, flops, 0},
#define MASK1(id, form, A, expression) {form, id, WIDTH_pred, 1, {WIDTH_##A}, NO_FLOPS, 0},
#define MASK2(id, form, A, B, expression) \
    {form, id, WIDTH_pred, 2, {WIDTH_##A, WIDTH_##B}, NO_FLOPS, 0},
#define SELECT(id, form, T) \
    {form, id, WIDTH_##T, 3, {WIDTH_##T, WIDTH_##T, WIDTH_pred}, NO_FLOPS, 0},
#define WHOLE(id, form, result_bits, source_count, ...) \
    {form, id, result_bits, source_count, __VA_ARGS__},
