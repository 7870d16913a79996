// The same in C.
// SPDX-License-Identifier: Apache-2.0
void division_ref(unsigned *out, const unsigned *in, int n, unsigned d)
{
    for (int i = 0; i < n; i++) {
        unsigned x = in[i], sum = 0;
        for (int k = 0; k < 16; k++, x = x * 1664525u + 1u)
            sum += x / d ^ x % d;
        out[i] = sum;
    }
}
