// Symbols of a prefix code, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
void huff_ref(unsigned char *out, const unsigned *in, int streams)
{
    static const int lengths[9] = {0, 0, 1, 3, 3, 2, 3, 2, 16};
    for (int s = 0; s < streams; s++, in += 26)
        for (int k = 0, at = 0; k < 96; k++) {
            int code = 0, first = 0, index = 0, length = 0;
            do {
                index += lengths[length];
                first = 2 * (first + lengths[length++]);
                code = code * 2 + (int)(in[at / 32] >> (31 - at % 32) & 1);
                at++;
            } while (code - first >= lengths[length]);
            *out++ = (unsigned char)(index + code - first);
        }
}
