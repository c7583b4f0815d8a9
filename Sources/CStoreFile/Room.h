#pragma once

#include <sqlite3.h>

// What is known of the room that a file of the store has on its disk.
typedef struct {
    // SQLite's own; -1 where it is not known, or the file system keeps no room.
    int descriptor;
    // Up to where there is room, and how often a file had been cut when that was so.
    sqlite3_int64 end;
    unsigned cuts;
} room;

// Has SQLite's VFS tell of the files that it opens on this thread.
void hark_store_room_watch(sqlite3_vfs *usual);

// Before SQLite opens a file, and after it.
void hark_store_room_forget(void);
room hark_store_room_of_opened(void);

// Sees to it that a file can grow to so many bytes, whatever others do with the disk. SQLITE_FULL if it cannot.
int hark_store_room_keep(room *room, sqlite3_int64 bytes);

// A file is cut, and what was kept behind its end is gone.
void hark_store_room_cut(void);
