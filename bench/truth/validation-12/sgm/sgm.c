// Costs summed along rows, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0

static int lower(int a, int b)
{
    return a < b ? a : b;
}

void sgm_ref(unsigned short *sums, const unsigned char *costs, int rows)
{
    for (int i = 0; i < 256 * rows; i++, sums += 64, costs += 64) {
        int low = 65535;
        if (i % 256 == 0)
            low = 0;
        else
            for (int d = 0; d < 64; d++)
                low = lower(low, sums[d - 64]);
        for (int d = 0; d < 64; d++) {
            int best = low + 120;
            if (i % 256 == 0)
                best = 0;
            else {
                best = lower(best, sums[d - 64]);
                if (d > 0)
                    best = lower(best, sums[d - 65] + 10);
                if (d < 63)
                    best = lower(best, sums[d - 63] + 10);
            }
            sums[d] = (unsigned short)(costs[d] + best - low);
        }
    }
}
