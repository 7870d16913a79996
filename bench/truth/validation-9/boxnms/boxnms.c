// Boxes suppressed by better ones, for the ninth validation list.
// SPDX-License-Identifier: Apache-2.0
static int smaller(int a, int b)
{
    return a < b ? a : b;
}

void boxnms_ref(unsigned char *keep, const short *pos, const short *size, int images)
{
    for (int m = 0; m < images; m++, pos += 640, size += 640, keep += 320)
        for (int j = 0; j < 320; j++) {
            keep[j] = 1;
            for (int i = 0; i < j && keep[j]; i++) {
                int side[2], a = size[2 * i] * size[2 * i + 1], b = size[2 * j] * size[2 * j + 1];
                for (int d = 0; d < 2; d++) {
                    int p = pos[2 * i + d], q = pos[2 * j + d];
                    side[d] = smaller(p + size[2 * i + d], q + size[2 * j + d]) + smaller(-p, -q);
                }
                if (keep[i] && side[0] > 0 && side[1] > 0 && 3 * side[0] * side[1] > a + b)
                    keep[j] = 0;
            }
        }
}
