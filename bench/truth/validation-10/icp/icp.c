// Normal equations of pairs of points, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
void icp_ref(float *out, const float *p, const float *q, const float *normal, int n)
{
    double sum[27] = {0};
    for (int i = 0; i < n; i++, p += 3, q += 3, normal += 3) {
        double a[7] = {p[1] * normal[2] - p[2] * normal[1],
                       p[2] * normal[0] - p[0] * normal[2],
                       p[0] * normal[1] - p[1] * normal[0],
                       normal[0],
                       normal[1],
                       normal[2],
                       0};
        for (int k = 0; k < 3; k++)
            a[6] += normal[k] * (q[k] - p[k]);
        for (int r = 0, at = 0; r < 6; r++)
            for (int c = r; c < 7; c++)
                sum[at++] += a[r] * a[c];
    }
    for (int k = 0; k < 27; k++)
        out[k] = (float)sum[k];
}
