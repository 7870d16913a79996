// Rows of unequal length to padded rows, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
void ragged_ref(unsigned short *out, const unsigned short *in, const int *starts, int rows)
{
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < 1024; i++) {
            int token = starts[r] + i / 32;
            out[1024 * r + i] = token < starts[r + 1] ? in[32 * token + i % 32] : 0;
        }
}
