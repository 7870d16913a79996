// SHA-256 of single blocks, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
static const unsigned constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static unsigned turn(unsigned v, int by)
{
    return v >> by | v << (32 - by);
}

void sha_ref(unsigned *out, const unsigned *in, int n)
{
    static const unsigned first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int i = 0; i < n; i++, in += 16, out += 8) {
        unsigned w[64], s[8];
        for (int k = 0; k < 16; k++)
            w[k] = in[k] >> 24 | (in[k] >> 8 & 0xff00) | (in[k] << 8 & 0xff0000) | in[k] << 24;
        for (int k = 16; k < 64; k++)
            w[k] = w[k - 16] + w[k - 7] +
                   (turn(w[k - 15], 7) ^ turn(w[k - 15], 18) ^ w[k - 15] >> 3) +
                   (turn(w[k - 2], 17) ^ turn(w[k - 2], 19) ^ w[k - 2] >> 10);
        for (int k = 0; k < 8; k++)
            s[k] = first[k];
        for (int k = 0; k < 64; k++) {
            unsigned one = turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25);
            unsigned zero = turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22);
            unsigned t = s[7] + one + ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[k] + w[k];
            unsigned u = zero + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            for (int j = 7; j > 0; j--)
                s[j] = s[j - 1];
            s[4] += t;
            s[0] = t + u;
        }
        for (int k = 0; k < 8; k++)
            out[k] = first[k] + s[k];
    }
}
