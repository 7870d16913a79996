// Drafted tokens accepted by ratios, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
void speculate_ref(int *accepted, int *token, const float *target, const float *draft,
                   const int *drafted, const float *chance, int n)
{
    for (int i = 0; i < n; i++, target += 2176, draft += 2048, drafted += 16, chance += 16) {
        int k = 0, best = 0;
        while (k < 16 && chance[k] < target[128 * k + drafted[k]] / draft[128 * k + drafted[k]])
            k++;
        float most = -1;
        for (int v = 0; v < 128; v++) {
            float left = target[128 * k + v] - (k < 16 ? draft[128 * k + v] : 0);
            if (left > most) {
                most = left;
                best = v;
            }
        }
        accepted[i] = k;
        token[i] = best;
    }
}
