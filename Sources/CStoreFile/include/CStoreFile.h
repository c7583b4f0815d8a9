/// The file of the store, as SQLite is to write it. Beside SQLite's own way to the disk stands one of ours (a VFS).
#pragma once

/// What to give `sqlite3_open_v2` as its last argument.
#define HARK_STORE_VFS "hark-store"

/// Makes the VFS known to SQLite; once is enough. An error of SQLite's, or 0.
int hark_store_vfs_register(void);
