// AES of single blocks, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
static unsigned char doubled(unsigned char v)
{
    return (unsigned char)(v << 1 ^ (v & 0x80 ? 0x1b : 0));
}

static unsigned char product(unsigned char a, unsigned char b)
{
    unsigned char sum = 0;
    for (; b; b >>= 1, a = doubled(a))
        if (b & 1)
            sum ^= a;
    return sum;
}

static void fill_box(unsigned char *box)
{
    for (int v = 0; v < 256; v++) {
        unsigned char inverse = 0, sum = 0x63;
        for (int u = 1; u < 256; u++)
            if (product((unsigned char)u, (unsigned char)v) == 1)
                inverse = (unsigned char)u;
        for (int turn = 0; turn < 5; turn++)
            sum ^= (unsigned char)(inverse << turn | inverse >> (8 - turn));
        box[v] = sum;
    }
}

static void add_key(unsigned char *s, const unsigned *key)
{
    for (int i = 0; i < 16; i++)
        s[i] ^= (unsigned char)(key[i / 4] >> (24 - 8 * (i % 4)));
}

// Bytes replaced, rows turned, columns mixed in all rounds but the last.
static void cipher_round(unsigned char *s, const unsigned char *box, int is_last)
{
    unsigned char v[16];
    for (int i = 0; i < 16; i++)
        v[i] = box[s[(i + 4 * (i % 4)) % 16]];
    for (int i = 0; i < 16; i++) {
        const unsigned char *c = v + i / 4 * 4;
        unsigned char next = c[(i + 1) % 4];
        s[i] = is_last ? v[i]
                       : (unsigned char)(doubled(v[i]) ^ doubled(next) ^ next ^ c[(i + 2) % 4] ^
                                         c[(i + 3) % 4]);
    }
}

void aes_ref(unsigned char *out, const unsigned char *in, const unsigned *keys, int blocks)
{
    unsigned char box[256];
    fill_box(box);
    for (long b = 0; b < blocks; b++) {
        unsigned char *s = out + 16 * b;
        for (int i = 0; i < 16; i++)
            s[i] = in[16 * b + i];
        add_key(s, keys);
        for (int round = 1; round <= 10; round++) {
            cipher_round(s, box, round == 10);
            add_key(s, keys + 4 * round);
        }
    }
}
