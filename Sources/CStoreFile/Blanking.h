// What is done with a page before it is written to the file of the store. For this target alone.
#pragma once

#include <sqlite3.h>

enum { SMALLEST_PAGE = 512, LARGEST_PAGE = 65536 };

// Whether something has to be blanked in a page, and from where to where.
// `usable`: how much of the page is SQLite's; behind that stands its checksum, if the file has them.
int hark_store_finds_gap(
    sqlite3_file *file, const unsigned char *page, int size, int usable, sqlite3_int64 number, unsigned *begin, unsigned *end);

// Blanks it where it lies.
void hark_store_blank(sqlite3_file *file, unsigned char *page, int size, int usable, sqlite3_int64 number);
