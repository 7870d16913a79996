#include "/dev/null"
/* # include "no.h" */ %: include <stdio.h>
#inc\
lude MACRO
#if __has_include("x.h")
#endif
const char *s = R"x(#include "y.h")x", c = '"';
int n = 1'000; // #import "z.h"
int main () { scale<<<1, 2>>>(); }
