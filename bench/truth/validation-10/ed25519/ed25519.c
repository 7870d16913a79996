// Products modulo 2^255 - 19, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
__extension__ typedef unsigned __int128 wide;
typedef unsigned long long word;

// x = x y modulo 2^256 - 38.
static void multiply(word *x, const word *y)
{
    word z[8] = {0};
    for (int j = 0; j < 4; j++) {
        wide sum = 0;
        for (int k = 0; k < 4; k++) {
            sum += (wide)x[j] * y[k] + z[j + k];
            z[j + k] = (word)sum;
            sum >>= 64;
        }
        z[j + 4] = (word)sum;
    }
    wide sum = 0;
    for (int k = 0; k < 4; k++) {
        sum += (wide)z[k + 4] * 38 + z[k];
        x[k] = (word)sum;
        sum >>= 64;
    }
    while (sum > 0) {
        sum *= 38;
        for (int k = 0; k < 4; k++) {
            sum += x[k];
            x[k] = (word)sum;
            sum >>= 64;
        }
    }
}

void ed25519_ref(unsigned *out, const unsigned *a, const unsigned *b, int n)
{
    for (int i = 0; i < n; i++, a += 8, b += 8, out += 8) {
        word x[4], y[4];
        for (int k = 0; k < 4; k++) {
            x[k] = (word)a[2 * k + 1] << 32 | a[2 * k];
            y[k] = (word)b[2 * k + 1] << 32 | b[2 * k];
        }
        for (int product = 0; product < 10; product++)
            multiply(x, y);
        // Below 2^255 - 19: the number is taken away at most twice.
        for (int turn = 0; turn < 2; turn++) {
            word z[4];
            wide sum = 19;
            for (int k = 0; k < 4; k++) {
                sum += x[k];
                z[k] = (word)sum;
                sum >>= 64;
            }
            if (sum > 0 || z[3] >> 63) {
                z[3] -= 1ull << 63;
                for (int k = 0; k < 4; k++)
                    x[k] = z[k];
            }
        }
        for (int k = 0; k < 8; k++)
            out[k] = (unsigned)(x[k / 2] >> (32 * (k % 2)));
    }
}
