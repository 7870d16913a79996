// c = a b in double: the product of matmul-f32.
// SPDX-License-Identifier: Apache-2.0
#include "../matmul-f32/reference.c"
