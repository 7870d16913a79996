// A run and a result that have everything, for tests of what writes and reads them.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_TESTS_SAMPLE_H
#define RIDGE_TESTS_SAMPLE_H

#include "record/record.h"

struct result sample_result(void); // its parts are static: copy before changing them
struct run_header sample_header(void);

#endif
