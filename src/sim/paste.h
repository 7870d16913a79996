// PASTE(name_, SIM_ISA): how files that are compiled once for each instruction set of the host name what they define.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_PASTE_H
#define RIDGE_SIM_PASTE_H

#define PASTE_TOKENS(a, b) a##b
#define PASTE(a, b) PASTE_TOKENS(a, b)

#endif
