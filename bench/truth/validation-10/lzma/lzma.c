// Range decoder with adaptive probabilities, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
void lzma_ref(unsigned char *out, const unsigned char *in, int streams)
{
    for (int s = 0; s < streams; s++, in += 160) {
        unsigned p[256], range = 0xffffffff, code = 0;
        int at = 4;
        for (int k = 0; k < 256; k++)
            p[k] = 1024;
        for (int k = 0; k < 4; k++)
            code = code << 8 | in[k];
        for (int k = 0; k < 24; k++) {
            unsigned node = 1;
            while (node < 256) {
                unsigned *own = &p[node], bound = (range >> 11) * *own;
                node *= 2;
                if (code < bound) {
                    range = bound;
                    *own += (2048 - *own) >> 5;
                } else {
                    range -= bound;
                    code -= bound;
                    *own -= *own >> 5;
                    node++;
                }
                if (range < 1u << 24) {
                    range <<= 8;
                    code = code << 8 | in[at++];
                }
            }
            *out++ = (unsigned char)node;
        }
    }
}
