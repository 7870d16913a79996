// A stable partition, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
void stable_ref(unsigned *out, const unsigned *in, int lists)
{
    for (int l = 0; l < lists; l++, in += 4096)
        for (int kind = 0; kind < 2; kind++)
            for (int i = 0; i < 4096; i++)
                if ((in[i] % 3 != 0) == kind)
                    *out++ = in[i];
}
