// A vendor's library, played by a file of tests/: for tests that ask it.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_TESTS_FAKE_H
#define RIDGE_TESTS_FAKE_H

// Compiles `source` into folder/soname and opens it: whoever opens that soname then gets it. The handle; a compile
// error fails the test.
void *fake_open(const char *folder, const char *soname, const char *source);

#endif
