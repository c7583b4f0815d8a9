// Room on the disk for what is committed and not yet in the file.
//
// A commit lies in the write-ahead log until the log is copied into the file, which may have to grow for it. On a disk that
// others have filled meanwhile it could not: the log could never be begun anew, and a removal would have nowhere to go. So a
// commit first takes the room that the file will need, behind its end, where the file's length does not tell of it. A commit
// that gets none is refused before anybody was told that it holds. On file systems that keep no room for a file, or write
// elsewhere whatever is written again (btrfs, ZFS), this promises nothing.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "Room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>

typedef int (*open_function)(const char *, int, int);

static open_function usual_open;

// To keep room takes a descriptor, SQLite does not tell its own, and to close another one would drop SQLite's locks.
static _Thread_local int opened = -1;

static atomic_uint cuts;

static int watched_open(const char *path, int flags, int mode) {
    const int descriptor = usual_open(path, flags, mode);
    opened = descriptor;
    return descriptor;
}

void hark_store_room_watch(sqlite3_vfs *usual) {
    if (usual->iVersion < 3 || usual_open) return;
    usual_open = (open_function)usual->xGetSystemCall(usual, "open");
    if (usual_open) usual->xSetSystemCall(usual, "open", (sqlite3_syscall_ptr)watched_open);
}

void hark_store_room_forget(void) { opened = -1; }

room hark_store_room_of_opened(void) { return (room){.descriptor = opened}; }

void hark_store_room_cut(void) { atomic_fetch_add(&cuts, 1); }

// A sixteenth more than is needed, so that most commits need not ask; little enough that nobody misses it.
static sqlite3_int64 with_some_more(sqlite3_int64 bytes) {
    const sqlite3_int64 least = 64 << 10, most = 1 << 20, more = bytes / 16;
    return bytes + (more < least ? least : more > most ? most : more);
}

static int keep(int descriptor, sqlite3_int64 begin, sqlite3_int64 end) {
    int status;
    do status = fallocate(descriptor, FALLOC_FL_KEEP_SIZE, begin, end - begin);
    while (status != 0 && errno == EINTR);
    return status == 0 ? 0 : errno;
}

int hark_store_room_keep(room *room, sqlite3_int64 bytes) {
    if (room->descriptor < 0) return SQLITE_OK;
    const unsigned now = atomic_load(&cuts);
    if (bytes <= room->end && room->cuts == now) return SQLITE_OK;
    if (!room->end || room->cuts != now) {
        struct stat status;
        if (fstat(room->descriptor, &status) != 0) return SQLITE_OK;
        room->end = status.st_size;
        room->cuts = now;
        if (bytes <= room->end) return SQLITE_OK;
    }
    sqlite3_int64 end = with_some_more(bytes);
    int error = keep(room->descriptor, room->end, end);
    if (error == ENOSPC || error == EDQUOT) {
        end = bytes;
        error = keep(room->descriptor, room->end, end);
    }
    if (error == ENOSPC || error == EDQUOT) return SQLITE_FULL;
    if (error == 0) room->end = end;
    else room->descriptor = -1;
    return SQLITE_OK;
}
