// RGB to planes of Y, U and V, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
void yuv_ref(unsigned char *out, const unsigned char *in, int n)
{
    for (int i = 0; i < n; i++) {
        int r = in[3 * i], g = in[3 * i + 1], b = in[3 * i + 2];
        out[i] = (unsigned char)(((66 * r + 129 * g + 25 * b + 128) >> 8) + 16);
        out[n + i] = (unsigned char)(((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128);
        out[2 * n + i] = (unsigned char)(((112 * r - 94 * g - 18 * b + 128) >> 8) + 128);
    }
}
