// Points in polygons, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
void pnpoly_ref(unsigned char *inside, const int *px, const int *py, const int *cx, const int *cy,
                int n)
{
    for (int p = 0; p < n; p++) {
        inside[p] = 0;
        for (int i = 0; i < 180; i++) {
            int j = i % 60 ? i - 1 : i + 59, low = cy[i] < cy[j] ? i : j, high = i + j - low;
            if (cy[low] <= py[p] && cy[high] > py[p] &&
                (px[p] - cx[low]) * (cy[high] - cy[low]) < (cx[high] - cx[low]) * (py[p] - cy[low]))
                inside[p] ^= (unsigned char)(1 << i / 60);
        }
    }
}
