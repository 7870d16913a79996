// Permutations over a field, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0

typedef unsigned long long word;

static const word prime = 0xffffffff00000001;

__extension__ typedef unsigned __int128 wide;

static word product(word a, word b)
{
    return (word)((wide)a * b % prime);
}

void poseidon_ref(word *out, const word *in, const unsigned *constants, int n)
{
    static const unsigned mix[12] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
    for (int i = 0; i < n; i++, out += 12, in += 12) {
        word s[12];
        for (int k = 0; k < 12; k++)
            out[k] = in[k];
        for (int round = 0; round < 30; round++) {
            for (int k = 0; k < 12; k++) {
                word x = (word)(((wide)out[k] + constants[12 * round + k]) % prime), x3;
                x3 = product(product(x, x), x);
                s[k] = round < 4 || round > 25 || k == 0 ? product(product(x3, x3), x) : x;
            }
            for (int k = 0; k < 12; k++) {
                wide sum = 0;
                for (int j = 0; j < 12; j++)
                    sum += (wide)s[(k + j) % 12] * mix[j];
                out[k] = (word)(sum % prime);
            }
        }
    }
}
