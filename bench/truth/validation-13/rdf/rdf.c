// Distances of all pairs, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0

static int apart(unsigned a, unsigned b)
{
    int d = (int)((a - b) & 1023);
    return d > 512 ? 1024 - d : d;
}

void rdf_ref(unsigned *bins, const unsigned *points, int n)
{
    for (int i = 0; i < 512; i++)
        bins[i] = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            int x = apart(points[i], points[j]), y = apart(points[i] >> 10, points[j] >> 10),
                z = apart(points[i] >> 20, points[j] >> 20);
            bins[(x * x + y * y + z * z) >> 11]++;
        }
}
