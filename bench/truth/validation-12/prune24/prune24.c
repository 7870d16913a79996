// Two of four kept, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0

void prune24_ref(unsigned short *kept, unsigned short *places, const unsigned short *x, int n)
{
    for (int i = 0; i < 4 * n; i++, x += 4) {
        int order[2] = {-1, -1};
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 4; k++)
                if (k != order[0] && (order[j] < 0 || (x[k] & 0x7fff) > (x[order[j]] & 0x7fff)))
                    order[j] = k;
        int low = order[0] < order[1] ? order[0] : order[1], high = order[0] + order[1] - low;
        kept[2 * i] = x[low];
        kept[2 * i + 1] = x[high];
        if (i % 4 == 0)
            places[i / 4] = 0;
        places[i / 4] = (unsigned short)(places[i / 4] | (low | high << 2) << (i % 4 * 4));
    }
}
