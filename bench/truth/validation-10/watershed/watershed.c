// Labels that flow down, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
static int level(const unsigned char *noise, int i)
{
    return noise[i] + 8 * (i % 640 % 32 + i / 640 % 32);
}

void watershed_ref(int *label, const unsigned char *noise, int height)
{
    for (int i = 0; i < 640 * height; i++) {
        int at = i, next = i;
        do {
            at = next;
            for (int k = 0; k < 9; k++) {
                int x = at % 640 + k % 3 - 1, y = at / 640 + k / 3 - 1;
                if (x >= 0 && x < 640 && y >= 0 && y < height &&
                    level(noise, y * 640 + x) < level(noise, next))
                    next = y * 640 + x;
            }
        } while (next != at);
        label[i] = at;
    }
}
