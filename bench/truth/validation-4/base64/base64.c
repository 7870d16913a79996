// Bytes to base64, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
void base64_ref(unsigned char *out, const unsigned char *in, int n)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int i = 0; i < n; i++) {
        unsigned v = (unsigned)in[3 * i] << 16 | (unsigned)in[3 * i + 1] << 8 | in[3 * i + 2];
        for (int k = 0; k < 4; k++)
            out[4 * i + k] = (unsigned char)letters[v >> (18 - 6 * k) & 63];
    }
}
