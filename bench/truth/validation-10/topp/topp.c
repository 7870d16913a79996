// Tokens that hold nine tenths of the probability, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
void topp_ref(float *out, const float *w, int rows)
{
    for (int r = 0; r < rows; r++, w += 4096) {
        float count[1024] = {0}, all = 0, held = 0;
        int limit = 1024;
        for (int j = 0; j < 4096; j++) {
            count[(int)w[j]] += w[j];
            all += w[j];
        }
        while (held < 0.9f * all)
            held += count[--limit];
        for (int j = 0; j < 4096; j++)
            *out++ = w[j] >= (float)limit ? w[j] / held : 0;
    }
}
