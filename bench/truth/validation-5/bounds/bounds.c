// Places of queries in a sorted array, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
void bounds_ref(int *place, const unsigned *keys, const unsigned *queries, int count)
{
    for (int q = 0; q < count; q++) {
        int low = 0, high = 262144;
        while (low < high) {
            int middle = (low + high) / 2;
            if (keys[middle] < queries[q])
                low = middle + 1;
            else
                high = middle;
        }
        place[q] = low;
    }
}
