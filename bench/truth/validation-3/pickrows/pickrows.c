// Rows picked by an index, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

void pickrows_ref(float *out, const float *table, const int *index, int picks, int width)
{
    for (int i = 0; i < picks; i++)
        memcpy(out + i * width, table + index[i] * width, (size_t)width * sizeof *out);
}
