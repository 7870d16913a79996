// A declaration of ours beside the vendor's: places and sizes of members, sizes of structures, numbers.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_TESTS_LAYOUT_H
#define RIDGE_TESTS_LAYOUT_H

#include <stddef.h>

#define AT(ours, member, theirs, their_member)                                                \
    _Static_assert(offsetof(struct ours, member) == offsetof(theirs, their_member),           \
                   #ours " " #member);                                                        \
    _Static_assert(sizeof(((struct ours *)0)->member) == sizeof(((theirs *)0)->their_member), \
                   #ours " size of " #member)
#define WHOLE(ours, theirs) _Static_assert(sizeof(struct ours) == sizeof(theirs), #ours)
#define IS(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours)

#endif
