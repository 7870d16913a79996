// Speech of four bits, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0

static const int steps[89] = {
    7,     8,     9,     10,    11,    12,    13,    14,    16,    17,    19,   21,    23,
    25,    28,    31,    34,    37,    41,    45,    50,    55,    60,    66,   73,    80,
    88,    97,    107,   118,   130,   143,   157,   173,   190,   209,   230,  253,   279,
    307,   337,   371,   408,   449,   494,   544,   598,   658,   724,   796,  876,   963,
    1060,  1166,  1282,  1411,  1552,  1707,  1878,  2066,  2272,  2499,  2749, 3024,  3327,
    3660,  4026,  4428,  4871,  5358,  5894,  6484,  7132,  7845,  8630,  9493, 10442, 11487,
    12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767};

void adpcm_ref(short *out, const unsigned *in, int n)
{
    for (int i = 0; i < n; i++, in += 64) {
        int value = (short)(in[0] & 65535), index = in[0] >> 16 & 255;
        if (index > 88)
            index = 88;
        for (int k = 0; k < 504; k++) {
            int code = in[1 + k / 8] >> (k % 8 * 4) & 15, step = steps[index];
            int d = step / 8 + (code & 4 ? step : 0) + (code & 2 ? step / 2 : 0) +
                    (code & 1 ? step / 4 : 0);
            value += code & 8 ? -d : d;
            value = value > 32767 ? 32767 : value < -32768 ? -32768 : value;
            index += code & 4 ? 2 * (code & 3) + 2 : -1;
            index = index > 88 ? 88 : index < 0 ? 0 : index;
            *out++ = (short)value;
        }
    }
}
