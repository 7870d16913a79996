// Bars of trades, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
void ohlc_ref(int *bars, const int *price, const int *volume, const int *starts, int n)
{
    for (int b = 0; b < n; b++, bars += 5) {
        for (int k = 0; k < 5; k++)
            bars[k] = 0;
        for (int i = starts[b]; i < starts[b + 1]; i++) {
            if (i == starts[b])
                bars[0] = bars[2] = price[i];
            bars[1] = price[i] > bars[1] ? price[i] : bars[1];
            bars[2] = price[i] < bars[2] ? price[i] : bars[2];
            bars[3] = price[i];
            bars[4] += volume[i];
        }
    }
}
