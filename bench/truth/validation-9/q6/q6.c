// A sum over rows that pass three filters, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
void q6_ref(long long *out, const int *day, const int *discount, const int *quantity,
            const long long *price, int n)
{
    *out = 0;
    for (int i = 0; i < n; i++)
        if (day[i] >= 730 && day[i] < 1095 && discount[i] >= 5 && discount[i] <= 7 &&
            quantity[i] < 24)
            *out += price[i] * discount[i];
}
