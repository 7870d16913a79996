// Lists of variable bytes, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
void varint_ref(unsigned *out, int *counts, const unsigned char *in, const int *starts, int lists)
{
    for (int l = 0; l < lists; l++) {
        unsigned sum = 0, number = 0;
        int shift = 0;
        counts[l] = 0;
        for (int i = starts[l]; i < starts[l + 1]; i++, shift += 7) {
            if (shift < 32)
                number |= (in[i] & 127u) << shift;
            if (in[i] >= 128)
                continue;
            sum += number;
            out[starts[l] + counts[l]++] = sum;
            number = 0;
            shift = -7;
        }
    }
}
