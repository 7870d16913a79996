// The place of each row's largest number, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
void argmax_ref(int *place, const float *x, int rows, int cols)
{
    for (int r = 0; r < rows; r++, x += cols) {
        place[r] = 0;
        for (int i = 1; i < cols; i++)
            if (x[i] > x[place[r]])
                place[r] = i;
    }
}
