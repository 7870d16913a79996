// A guessing game, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
static int pattern(const unsigned char *guess, const unsigned char *answer)
{
    static const int weights[] = {1, 3, 9, 27, 81};
    int left[256] = {0}, code = 0;
    for (int i = 0; i < 5; i++)
        left[answer[i]] += guess[i] != answer[i];
    for (int i = 0; i < 5; i++) {
        if (guess[i] == answer[i])
            code += 2 * weights[i];
        else if (left[guess[i]]-- > 0)
            code += weights[i];
    }
    return code;
}

void wordle_ref(unsigned *bins, const unsigned char *guesses, const unsigned char *answers, int n)
{
    for (int g = 0; g < n; g++) {
        for (int b = 0; b < 243; b++)
            bins[243 * g + b] = 0;
        for (int a = 0; a < 2309; a++)
            bins[243 * g + pattern(guesses + 5 * g, answers + 5 * a)]++;
    }
}
