// Streams of the Mersenne twister, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0

void twister_ref(unsigned *out, const unsigned *seeds, int streams)
{
    for (int s = 0; s < streams; s++) {
        unsigned state[624];
        state[0] = seeds[s];
        for (unsigned i = 1; i < 624; i++)
            state[i] = 1812433253u * (state[i - 1] ^ state[i - 1] >> 30) + i;
        for (int k = 0; k < 1248; k++) {
            int i = k % 624;
            unsigned y = (state[i] & 0x80000000u) | (state[(i + 1) % 624] & 0x7fffffffu);
            y = state[i] = state[(i + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
            y ^= y >> 11;
            y ^= y << 7 & 0x9d2c5680u;
            y ^= y << 15 & 0xefc60000u;
            out[1248 * s + k] = y ^ y >> 18;
        }
    }
}
