// Searches for a code, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
void gold_ref(short *out, const unsigned char *signal, const unsigned char *code, int signals)
{
    for (int i = 0; i < 32 * signals; i++) {
        signed char by[2046], own[1023];
        for (int k = 0; k < 1023; k++) {
            own[k] = signal[i / 32 * 1023 + k] ? -1 : 1;
            by[k] = by[k + 1023] = code[i % 32 * 1023 + k] ? -1 : 1;
        }
        for (int shift = 0; shift < 1023; shift++) {
            int sum = 0;
            for (int k = 0; k < 1023; k++)
                sum += own[k] * by[k + shift];
            out[i * 1023 + shift] = (short)sum;
        }
    }
}
