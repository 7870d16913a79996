// Rows of 16 sorted, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0

void sort16_ref(unsigned *keys_out, unsigned *values_out, const unsigned *keys,
                const unsigned *values, int rows)
{
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < 16; i++) {
            int place = 0, own = 16 * r + i;
            for (int k = 16 * r; k < 16 * r + 16; k++)
                if (keys[k] < keys[own] ||
                    (keys[k] == keys[own] &&
                     (values[k] < values[own] || (values[k] == values[own] && k < own))))
                    place++;
            keys_out[16 * r + place] = keys[own];
            values_out[16 * r + place] = values[own];
        }
}
