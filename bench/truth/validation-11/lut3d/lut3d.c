// Colours by a cube, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
void lut3d_ref(unsigned char *out, const unsigned char *image, const float *cube, int n)
{
    for (int i = 0; i < n; i++, image += 3) {
        double part[3], sum[3] = {0};
        int cell[3];
        for (int c = 0; c < 3; c++) {
            double v = image[c] / 255.0 * 16;
            cell[c] = v < 15 ? (int)v : 15;
            part[c] = v - cell[c];
        }
        for (int k = 0; k < 8; k++) {
            double w = (k & 1 ? part[0] : 1 - part[0]) * (k & 2 ? part[1] : 1 - part[1]) *
                       (k & 4 ? part[2] : 1 - part[2]);
            int at = ((cell[2] + k / 4) * 17 + cell[1] + k / 2 % 2) * 17 + cell[0] + k % 2;
            for (int c = 0; c < 3; c++)
                sum[c] += w * cube[3 * at + c];
        }
        for (int c = 0; c < 3; c++)
            *out++ = (unsigned char)(sum[c] + 0.5);
    }
}
