// A chain of spins, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0

void spinchain_ref(double *y, const double *x, const double *j, int sites)
{
    for (int s = 0; s < 1 << sites; s++) {
        y[s] = 0;
        for (int i = 0; i + 1 < sites; i++) {
            int differ = (s >> i ^ s >> (i + 1)) & 1;
            y[s] += j[i] * (differ ? x[s ^ (3 << i)] / 2 - x[s] / 4 : x[s] / 4);
        }
    }
}
