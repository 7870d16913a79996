// Matrix instructions: what the decoder leaves for the interpreter, and the arithmetic.
//   decode_tensor.c  operands to fragments     tensor.c  fragments to matrices and back, memory
//   tensor_math.c    products and sums as tensor cores round them
// A fragment of 32-bit registers is made of tiles: register r of lane l holds neighbours of row l / 4 of
// tile r; two tiles above each other before the next ones to the right (PTX ISA, "Matrix Fragments for
// mma"). wmma's fragments, whose layout PTX leaves open, follow the same rule.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_TENSOR_H
#define RIDGE_SIM_TENSOR_H

#include "sim/run/exec.h"
#include "sim/alu/tensor_math.h"

enum matrix_role { MATRIX_A, MATRIX_B, MATRIX_C };
struct fragment {
    enum matrix_role role;
    enum ptx_type type;
    uint16_t rows, columns; // of the matrix; an element of b1 is a word of 32 bits
    uint8_t bits;           // of an element
    uint8_t wide;           // of a register: 32 or 64
    uint16_t count;         // registers; wmma's f16 may hold everything twice
    const uint32_t *row;    // of each register
    const uint16_t *at;     // of element (register, lane, part): row * columns + column
};
enum matrix_from { FROM_REGISTERS, FROM_SHARED };
struct matrix_op {
    struct fragment a, b, c, d;
    uint16_t m, n, k;
    bool satfinite, bit_and; // b1: and.popc instead of xor.popc
    // loads and stores: element (i, j) lies at i * stride + j, or at j * stride + i
    bool by_column;
    bool store, transposed;
    uint32_t stride; // row, NO_ROW: the matrix is packed
    // wgmma
    enum matrix_from a_from;
    uint32_t a_row, b_row, keep_row; // descriptors; predicate: d is added to
    bool keep_flip, negate_a, negate_b, a_by_column, b_by_column;
};
// Where element `part` of register r of a lane lies.
void fragment_place(const struct fragment *f, unsigned r, unsigned part, uint32_t lane,
                    unsigned *row, unsigned *column);

// tensor.c
void whole_warp(struct warp *w, const struct uop *u, uint32_t mask); // reported if it is not
void fragment_gather(const struct warp *w, const struct fragment *f, union elements to);
void fragment_spread(struct warp *w, const struct fragment *f, union elements from, uint32_t mask);
void matrices_multiply(const struct warp *w, struct matrices *x, const struct matrix_op *op);

#endif
