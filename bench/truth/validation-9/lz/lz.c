// Streams of literals and matches, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
void lz_ref(unsigned char *out, const unsigned char *in, int streams)
{
    for (int s = 0; s < streams; s++, out += 512) {
        const unsigned char *from = in + 1040 * s;
        for (int pos = 0; pos < 512;) {
            int token = *from++, literal = token < 144 || pos == 0;
            int length = literal ? 1 + token % 8 : 3 + token % 16,
                distance = literal ? 0 : 1 + *from++ % pos;
            for (; length > 0 && pos < 512; length--, pos++)
                out[pos] = literal ? *from++ : out[pos - distance];
        }
    }
}
