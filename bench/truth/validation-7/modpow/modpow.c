// Powers modulo primes of 64 bits, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
__extension__ typedef unsigned __int128 wide;

void modpow_ref(unsigned long long *out, const unsigned long long *base, const unsigned *exponent,
                int n)
{
    static const unsigned long long below[4] = {59, 83, 95, 179};
    for (int i = 0; i < n; i++) {
        unsigned long long m = 0 - below[i % 4], a = base[i] % m, power = 1;
        for (unsigned e = exponent[i]; e; e /= 2) {
            if (e & 1)
                power = (unsigned long long)((wide)power * a % m);
            a = (unsigned long long)((wide)a * a % m);
        }
        out[i] = power;
    }
}
