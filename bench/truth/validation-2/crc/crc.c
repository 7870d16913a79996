// CRC-32 of messages of 64 bytes, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
void crc_ref(unsigned *out, const unsigned char *in, int n)
{
    unsigned table[256];
    for (unsigned i = 0; i < 256; i++) {
        table[i] = i;
        for (int b = 0; b < 8; b++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
    }
    for (int i = 0; i < n; i++) {
        out[i] = ~0u;
        for (int b = 0; b < 64; b++)
            out[i] = out[i] >> 8 ^ table[(out[i] ^ in[64 * i + b]) & 255];
        out[i] = ~out[i];
    }
}
