// Sums of numbers of 1024 bits, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
void bigadd_ref(unsigned *sum, const unsigned *a, const unsigned *b, int n)
{
    for (int i = 0; i < n; i++) {
        unsigned long long carry = 0;
        for (int w = 0; w < 32; w++) {
            carry += (unsigned long long)a[32 * i + w] + b[32 * i + w];
            sum[32 * i + w] = (unsigned)carry;
            carry >>= 32;
        }
    }
}
