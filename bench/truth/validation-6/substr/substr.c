// Where a pattern begins, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

void substr_ref(unsigned char *found, const unsigned char *text, const unsigned char *pattern,
                int n)
{
    for (int i = 0; i < n; i++)
        found[i] = i + 8 <= n && memcmp(text + i, pattern, 8) == 0;
}
