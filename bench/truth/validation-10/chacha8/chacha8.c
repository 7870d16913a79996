// Tags of messages by poly1305, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
__extension__ typedef unsigned __int128 wide;
typedef unsigned long long word;

static word pair(const unsigned *p)
{
    return (word)p[1] << 32 | p[0];
}

void chacha8_ref(unsigned *tag, const unsigned *message, const unsigned *key, int n)
{
    for (int i = 0; i < n; i++, key += 8, tag += 4) {
        word r0 = pair(key) & 0x0ffffffc0fffffff, r1 = pair(key + 2) & 0x0ffffffc0ffffffc, low = 0,
             middle = 0, top = 0;
        // r1 is a multiple of four, so 2^128 r1 is 5/4 r1 modulo 2^130 - 5.
        word s1 = r1 / 4 * 5;
        for (int b = 0; b < 16; b++, message += 4) {
            wide sum = (wide)low + pair(message);
            low = (word)sum;
            sum = (sum >> 64) + middle + pair(message + 2);
            middle = (word)sum;
            top += (word)(sum >> 64) + 1;
            wide a = (wide)low * r0 + (wide)middle * s1,
                 c = (wide)low * r1 + (wide)middle * r0 + top * s1 + (word)(a >> 64);
            top = top * r0 + (word)(c >> 64);
            sum = (wide)(word)a + top / 4 * 5;
            low = (word)sum;
            sum = (sum >> 64) + (word)c;
            middle = (word)sum;
            top = top % 4 + (word)(sum >> 64);
        }
        wide less = (wide)low + 5, next = (less >> 64) + middle;
        if (top + (word)(next >> 64) >= 4) {
            low = (word)less;
            middle = (word)next;
        }
        wide sum = ((wide)middle << 64 | low) + ((wide)pair(key + 6) << 64 | pair(key + 4));
        for (int k = 0; k < 4; k++)
            tag[k] = (unsigned)(sum >> (32 * k));
    }
}
