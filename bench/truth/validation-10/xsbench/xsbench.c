// Cross sections of nuclides, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
void xsbench_ref(double *out, const double *all, const double *xs, const int *starts,
                 const int *nuclide, const double *density, const double *energy,
                 const int *material, int n)
{
    for (int i = 0; i < n; i++, out += 5) {
        for (int k = 0; k < 5; k++)
            out[k] = 0;
        for (int j = starts[material[i]]; j < starts[material[i] + 1]; j++) {
            int at = 0;
            while (at < 254 && all[32 * (at + 1) + nuclide[j]] <= energy[i])
                at++;
            double lower = all[32 * at + nuclide[j]], higher = all[32 * (at + 1) + nuclide[j]];
            double part = (higher - energy[i]) / (higher - lower);
            const double *low = xs + (256 * nuclide[j] + at) * 5;
            for (int k = 0; k < 5; k++)
                out[k] += density[j] * (low[5 + k] - part * (low[5 + k] - low[k]));
        }
    }
}
