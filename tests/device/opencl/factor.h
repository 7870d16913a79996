// SPDX-License-Identifier: Apache-2.0
#ifndef FACTOR
#define FACTOR 2
#endif
