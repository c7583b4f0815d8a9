#ifndef HARK_CSQLITE_SHIM_H
#define HARK_CSQLITE_SHIM_H

#include <sqlite3.h>

// sqlite3_config() takes what it takes as variadic arguments, which Swift cannot pass. No memory for pages that no
// connection holds yet; refused once SQLite is in use.
static inline int hark_sqlite_allocate_no_pages_ahead(void) {
    return sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 0);
}

// What Swift cannot call as it is variadic, for a connection that only asks: no text in double quotes where no column is
// called so, no tokenizer by its address, no extension, and nothing that reaches into how SQLite keeps things.
static inline int hark_sqlite_confine(sqlite3 *database) {
    int status = sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
    if (status == SQLITE_OK) status = sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
    if (status == SQLITE_OK) status = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    if (status == SQLITE_OK) status = sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
    if (status == SQLITE_OK) status = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, (int *)0);
    if (status == SQLITE_OK) status = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, (int *)0);
    return status;
}

// A text that SQLite frees.
static inline char *hark_sqlite_text(const char *text) { return sqlite3_mprintf("%s", text); }

// A virtual table and its cursor as SQLite knows them, and the object behind each.
typedef struct hark_sqlite_table {
    sqlite3_vtab base;
    void *object;
} hark_sqlite_table;

typedef struct hark_sqlite_cursor {
    sqlite3_vtab_cursor base;
    void *object;
} hark_sqlite_cursor;

#endif
