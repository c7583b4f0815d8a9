#ifndef HARK_CSQLITE_SHIM_H
#define HARK_CSQLITE_SHIM_H

#include <sqlite3.h>

// sqlite3_config() takes what it takes as variadic arguments, which Swift cannot pass. No memory for pages that no
// connection holds yet; refused once SQLite is in use.
static inline int hark_sqlite_allocate_no_pages_ahead(void) {
    return sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 0);
}

#endif
