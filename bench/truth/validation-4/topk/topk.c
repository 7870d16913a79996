// The eight largest of each row, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
void topk_ref(float *out, const float *in, int rows, int cols)
{
    for (int r = 0; r < rows; r++, in += cols, out += 8) {
        for (int i = 0; i < 8; i++)
            out[i] = -1e30f;
        for (int c = 0; c < cols; c++) {
            float v = in[c];
            for (int i = 0; i < 8; i++)
                if (v > out[i]) {
                    float swap = out[i];
                    out[i] = v;
                    v = swap;
                }
        }
    }
}
