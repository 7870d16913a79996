// Corners by nine of sixteen pixels, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
void fast9_ref(unsigned char *out, const unsigned char *image, int height)
{
    static const int dx[16] = {0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3, -3, -3, -2, -1};
    static const int dy[16] = {-3, -3, -2, -1, 0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3};
    for (int y = 0; y < height; y++)
        for (int x = 0; x < 640; x++) {
            int found = 0, brighter = 0, darker = 0, own = image[y * 640 + x];
            for (int k = 0; x >= 3 && y >= 3 && x < 637 && y < height - 3 && k < 25 && !found;
                 k++) {
                int other = image[(y + dy[k % 16]) * 640 + x + dx[k % 16]];
                brighter = other > own + 40 ? brighter + 1 : 0;
                darker = other < own - 40 ? darker + 1 : 0;
                found = brighter == 9 ? 1 : darker == 9 ? 2 : 0;
            }
            *out++ = (unsigned char)found;
        }
}
