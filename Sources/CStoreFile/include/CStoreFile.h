/// The file of the store, as SQLite is to write it. Beside SQLite's own way to the disk stands one of ours (a VFS).
#pragma once

/// What to give `sqlite3_open_v2` as its last argument.
#define HARK_STORE_VFS "hark-store"

/// How many bytes of each page SQLite has to leave for its checksum (SQLITE_FCNTL_RESERVE_BYTES, before a file is made).
#define HARK_STORE_CHECKSUM_BYTES 8

/// With this parameter (as in `file:PATH?trusted=1`), pages are read without a look at their checksums.
#define HARK_STORE_TRUSTED "trusted"

/// Puts the checksum of a page of this number into its last bytes.
void hark_store_page_seal(unsigned char *page, int size, long long number);

/// Whether a page is the one that got its checksum under this number.
int hark_store_page_is_whole(const unsigned char *page, int size, long long number);

/// Makes the VFS known to SQLite; once is enough. An error of SQLite's, or 0.
int hark_store_vfs_register(void);
