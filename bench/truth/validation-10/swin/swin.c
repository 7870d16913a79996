// Windows of an image cut out and put back, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
void swin_ref(unsigned short *windows, unsigned short *out, const unsigned short *x,
              const unsigned short *done, int images)
{
    for (int i = 0, w = 0; i < images; i++)
        for (int window = 0; window < 64; window++)
            for (int at = 0; at < 49; at++, w++) {
                int px = (window % 8 * 7 + at % 7 + 3) % 56,
                    py = (window / 8 * 7 + at / 7 + 3) % 56;
                for (int c = 0; c < 96; c++) {
                    windows[96 * w + c] = x[((56 * i + py) * 56 + px) * 96 + c];
                    out[((56 * i + py) * 56 + px) * 96 + c] = done[96 * w + c];
                }
            }
}
