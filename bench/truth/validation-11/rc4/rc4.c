// Keyed streams with 256 bytes of state, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
void rc4_ref(unsigned char *out, const unsigned char *key, int n)
{
    for (int stream = 0; stream < n; stream++, key += 16) {
        unsigned char s[256], j = 0, v;
        for (int i = 0; i < 256; i++)
            s[i] = (unsigned char)i;
        for (int i = 0; i < 256; i++) {
            j = (unsigned char)(j + s[i] + key[i % 16]);
            v = s[i], s[i] = s[j], s[j] = v;
        }
        j = 0;
        for (int i = 1; i <= 64; i++) {
            j = (unsigned char)(j + s[i]);
            v = s[i], s[i] = s[j], s[j] = v;
            *out++ = s[(s[i] + s[j]) % 256];
        }
    }
}
