// platform: what ridge needs of a machine. One sentence where it does not hold; the Makefile asks
// this header before anything else is compiled.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_BASE_PLATFORM_H
#define RIDGE_BASE_PLATFORM_H

#include <limits.h> // says which C library it belongs to

#if !defined(__linux__) || !defined(__GLIBC__)
#error "ridge needs Linux with glibc, whose dlopen and /proc it stands on."
#elif __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "ridge needs a little-endian machine: GPUs are, and buffers go there as they are."
#elif __SIZEOF_POINTER__ != 8
#error "ridge needs a 64-bit machine: addresses of GPUs have 64 bits."
#endif

#endif
