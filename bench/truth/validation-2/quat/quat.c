// Points turned by quaternions, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
void quat_ref(float *out, const float *point, const float *quat, int n)
{
    for (int i = 0; i < n; i++) {
        const float *q = quat + 4 * i, *p = point + 3 * i;
        float t[3];
        for (int c = 0; c < 3; c++) {
            int d = (c + 1) % 3, e = (c + 2) % 3;
            t[c] = 2 * (q[d] * p[e] - q[e] * p[d]);
        }
        for (int c = 0; c < 3; c++) {
            int d = (c + 1) % 3, e = (c + 2) % 3;
            out[3 * i + c] = p[c] + q[3] * t[c] + q[d] * t[e] - q[e] * t[d];
        }
    }
}
