// How SQLite writes the store: a thin VFS around its own.
//
// Pages are blanked where nothing is allocated on their way into the file (`Blanking.c`), which is when the write-ahead log is
// copied, and get a checksum (`Checksum.c`). One that is read from the file and is not what was written is damaged, and
// nothing of it is believed. Files of earlier versions have no room for checksums, and are read as they are.
//
// To the log SQLite writes each page by itself, and what says which it is by itself as well. Here they are gathered up to the
// end of a transaction: a commit of a hundred pages is a handful of writes instead of two hundred. Until then nobody else
// looks at them.
//
// When SQLite copies the log into the file (a checkpoint), it reads one page of the log and writes it to the file, and so on by
// the order of the file. Here the log is read a piece at a time, and where the pages that follow in the file are in that piece,
// they are written along with the one that SQLite writes. So no write is ever put off: one that fails is told to SQLite at
// once, and all that it takes for written is in the file when it lets others know (which it does without a sync, and without
// a word to us that could fail, if only a part of the log was copied). To be written early a page has to be one that this
// copying may write: later in the log than the page that SQLite has just asked for, and so not copied already; and no later
// than the end of the latest transaction of which it has asked for a page, and so synced, and of a commit that everybody who
// reads knows of. Such a page is not looked for in the file by anybody before the copying is done. If there is a newer one,
// SQLite comes to it later and writes it.
//
// Before a commit is written, there is room in the file for what it adds (`Room.c`).

#include "Blanking.h"
#include "Checksum.h"
#include "Room.h"

#include <CStoreFile.h>
#include <sqlite3.h>
#include <stddef.h>
#include <string.h>

enum { LOG_HEADER = 32, FRAME_HEADER = 24 };

// How much to read or write at once: SQLite takes 17 bits of it at a time, and 131072 for nothing.
enum { MOST_GATHERED = 131071 };

// The copying of the log into the file that is under way.
typedef struct {
    // The piece of the log that was read ahead, whole frames; and how many bytes of it SQLite has asked for.
    sqlite3_int64 begin;
    int count, used;
    // How many frames to read ahead next time.
    int frames;
    // Where the frame begins that SQLite asked for last, and where the latest ends that is to be copied, as far as is known.
    sqlite3_int64 asked, latest;
    // The pages that were written together last, and where in the file.
    sqlite3_int64 run_begin;
    int run_count;
    unsigned char piece[MOST_GATHERED], run[MOST_GATHERED];
} copying;

// What stands behind SQLite's own file object. Its methods are those of the file, but for some.
typedef struct {
    sqlite3_io_methods methods;
    const sqlite3_io_methods *usual;
    // Of the log: what was not written to it yet, and where that goes.
    unsigned char *gathered;
    int count;
    // The page that comes next is the last of a transaction, after which the file has so many; 0 if it is not.
    sqlite3_int64 pages;
    sqlite3_int64 begin;
    // Of the log: the file that it belongs to.
    sqlite3_file *database;
    // Of the file: null while the log is not being copied, or there was no memory for it.
    copying *copy;
    // Of the file: how many bytes at the end of each page are not SQLite's; -1 while that is not known.
    int reserved;
    // Of the file: pages are read without a look at their checksums.
    int is_trusted;
    // Of the file.
    room room;
} addition;

static sqlite3_vfs *usual, blanking;

static addition *addition_of(sqlite3_file *file) {
    return (addition *)((char *)file + blanking.szOsFile - sizeof(addition));
}

static int is_page_size(int count) {
    return count >= SMALLEST_PAGE && count <= LARGEST_PAGE && (count & (count - 1)) == 0;
}

static sqlite3_int64 four_bytes(const unsigned char *bytes) {
    return (sqlite3_int64)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

// Which page stands behind a header in the log.
static sqlite3_int64 number_of(const unsigned char *header) { return four_bytes(header); }

// The last page of a transaction has behind its header how many pages there are in the file then; others have nothing.
static sqlite3_int64 pages_after(const unsigned char *header) { return four_bytes(header + 4); }

// Where the header of the file says how many bytes of each page are not SQLite's. It is said once, when the file is made.
enum { RESERVED_PLACE = 20 };

// How many bytes at the end of each page are not SQLite's, by the first page: the one at hand, or else the file's.
static int reserved_of(sqlite3_file *file, const unsigned char *page, sqlite3_int64 number) {
    addition *ours = addition_of(file);
    if (number == 1) ours->reserved = page[RESERVED_PLACE];
    if (ours->reserved < 0) {
        unsigned char reserved;
        if (ours->usual->xRead(file, &reserved, 1, RESERVED_PLACE) != SQLITE_OK) return 0;
        ours->reserved = reserved;
    }
    return ours->reserved;
}

// Makes a page what it is to be in the file.
static void finish_page(sqlite3_file *file, unsigned char *page, int size, sqlite3_int64 number) {
    const int reserved = reserved_of(file, page, number);
    hark_store_blank(file, page, size, size - reserved, number);
    if (reserved == CHECKSUM_BYTES) hark_store_page_seal(page, size, number);
}

static int write_one(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset) {
    const sqlite3_int64 number = offset / size + 1;
    // SQLite's own copy is not ours to change.
    unsigned char page[LARGEST_PAGE];
    memcpy(page, bytes, (size_t)size);
    finish_page(file, page, size, number);
    return addition_of(file)->usual->xWrite(file, page, size, offset);
}

// Whether this is the first page of a file with checksums, and only the byte that says so is wrong.
static int has_lost_checksums(const unsigned char *bytes, int size) {
    unsigned char page[LARGEST_PAGE];
    memcpy(page, bytes, (size_t)size);
    page[RESERVED_PLACE] = CHECKSUM_BYTES;
    return hark_store_page_is_whole(page, size, 1);
}

static int read_page(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    const int status = addition_of(file)->usual->xRead(file, bytes, count, offset);
    // What is shorter than a page is a look at the header of the file.
    if (status != SQLITE_OK || addition_of(file)->is_trusted || !is_page_size(count) || offset % count != 0) return status;
    const sqlite3_int64 number = offset / count + 1;
    if (reserved_of(file, bytes, number) != CHECKSUM_BYTES) {
        return number == 1 && has_lost_checksums(bytes, count) ? SQLITE_CORRUPT : SQLITE_OK;
    }
    return hark_store_page_is_whole(bytes, count, number) ? SQLITE_OK : SQLITE_CORRUPT;
}

// Adds the pages to a run that begins with the one SQLite asked for last and follow it in the file, as far as they are in the
// piece at hand, each as it is latest there. The copies in the piece are changed as well, so that SQLite will be given what
// was written.
static void gather_run(sqlite3_file *file, copying *copy, int size) {
    const sqlite3_int64 first = copy->run_begin / size + 1;
    const sqlite3_int64 end = copy->latest < copy->begin + copy->count ? copy->latest : copy->begin + copy->count;
    const int frame = FRAME_HEADER + size;
    for (sqlite3_int64 at = copy->asked + frame; at + frame <= end; at += frame) {
        unsigned char *header = copy->piece + (at - copy->begin);
        const sqlite3_int64 number = number_of(header);
        if (number <= first || number > first + copy->run_count / size) continue;
        const sqlite3_int64 place = (number - first) * size;
        if (place > MOST_GATHERED - size) continue;
        finish_page(file, header + FRAME_HEADER, size, number);
        memcpy(copy->run + place, header + FRAME_HEADER, (size_t)size);
        if (place == copy->run_count) copy->run_count += size;
    }
}

// Writes a page, and those along with it that SQLite is about to write next. The first page of the file is written alone, as
// it has to be there for others to be blanked (`has_maps`).
static int write_run(sqlite3_file *file, copying *copy, const void *bytes, int size, sqlite3_int64 offset) {
    const sqlite3_int64 number = offset / size + 1;
    const sqlite3_int64 place = copy->asked - copy->begin;
    copy->run_count = 0;
    if (number == 1 || place < 0 || place > copy->count - FRAME_HEADER - size) return write_one(file, bytes, size, offset);
    const unsigned char *header = copy->piece + place;
    if (number_of(header) != number) return write_one(file, bytes, size, offset);
    memcpy(copy->run, bytes, (size_t)size);
    finish_page(file, copy->run, size, number);
    copy->run_begin = offset;
    copy->run_count = size;
    gather_run(file, copy, size);
    const int status = addition_of(file)->usual->xWrite(file, copy->run, copy->run_count, offset);
    if (status != SQLITE_OK) copy->run_count = 0;
    return status;
}

static int write_page(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    addition *ours = addition_of(file);
    copying *copy = ours->copy;
    if (!is_page_size(count) || offset % count != 0) {
        if (copy) copy->run_count = 0;
        return ours->usual->xWrite(file, bytes, count, offset);
    }
    if (!copy) return write_one(file, bytes, count, offset);
    const sqlite3_int64 place = offset - copy->run_begin;
    const int is_written = place >= 0 && place <= copy->run_count - count && memcmp(copy->run + place, bytes, (size_t)count) == 0;
    return is_written ? SQLITE_OK : write_run(file, copy, bytes, count, offset);
}

// SQLite says when it begins to copy the log and when it has, whatever came of it, before it lets others know. What it answers
// then is not looked at.
static int control_file(sqlite3_file *file, int operation, void *argument) {
    addition *ours = addition_of(file);
    if (operation == SQLITE_FCNTL_CKPT_START || operation == SQLITE_FCNTL_CKPT_DONE) {
        sqlite3_free(ours->copy);
        ours->copy = operation == SQLITE_FCNTL_CKPT_START ? sqlite3_malloc(sizeof(copying)) : 0;
        if (ours->copy) memset(ours->copy, 0, offsetof(copying, piece));
    }
    return ours->usual->xFileControl(file, operation, argument);
}

// To the length that it has already SQLite cuts the file each time the log was copied, and what is kept behind it would go.
static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
    const sqlite3_io_methods *usual = addition_of(file)->usual;
    sqlite3_int64 now;
    if (usual->xFileSize(file, &now) == SQLITE_OK && now == size) return SQLITE_OK;
    hark_store_room_cut();
    return usual->xTruncate(file, size);
}

static int close_file(sqlite3_file *file) {
    addition *ours = addition_of(file);
    sqlite3_free(ours->copy);
    ours->copy = 0;
    return ours->usual->xClose(file);
}

// Writes what was gathered. When that fails, so does the transaction that it is of.
static int write_gathered(sqlite3_file *file) {
    addition *ours = addition_of(file);
    const int count = ours->count;
    ours->count = 0;
    return count ? ours->usual->xWrite(file, ours->gathered, count, ours->begin) : SQLITE_OK;
}

static int is_last_of_transaction(const unsigned char *header) { return pages_after(header) != 0; }

// Writes what was gathered, which ends with the last page of a transaction.
static int write_transaction(sqlite3_file *file, int size) {
    addition *ours = addition_of(file);
    const int status =
        ours->database ? hark_store_room_keep(&addition_of(ours->database)->room, ours->pages * size) : SQLITE_OK;
    if (status != SQLITE_OK) ours->count = 0;
    return status == SQLITE_OK ? write_gathered(file) : status;
}

static int gather(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    addition *ours = addition_of(file);
    if (offset != ours->begin + ours->count || count > MOST_GATHERED - ours->count) {
        const int status = write_gathered(file);
        if (status != SQLITE_OK) return status;
    }
    if (!ours->gathered) ours->gathered = sqlite3_malloc(MOST_GATHERED);
    if (!ours->gathered || count > MOST_GATHERED) return ours->usual->xWrite(file, bytes, count, offset);
    if (!ours->count) ours->begin = offset;
    memcpy(ours->gathered + ours->count, bytes, (size_t)count);
    ours->count += count;
    if (count == FRAME_HEADER) {
        ours->pages = pages_after(bytes);
        return SQLITE_OK;
    }
    return ours->pages ? write_transaction(file, count) : SQLITE_OK;
}

// Reads a piece of the log that begins with a frame, which is to be copied. Where most of it would be for nothing (the copying
// goes by the order of the file, and most pages of the log may be older ones of the same number), less is read the next time.
static void read_piece(sqlite3_file *log, copying *copy, sqlite3_int64 begin, int frame) {
    const sqlite3_io_methods *usual = addition_of(log)->usual;
    if (copy->count && copy->used < copy->count / 4) copy->frames /= 2;
    else copy->frames = copy->count ? copy->frames * 2 : 8;
    if (copy->frames > MOST_GATHERED / frame) copy->frames = MOST_GATHERED / frame;
    if (copy->frames < 1) copy->frames = 1;
    sqlite3_int64 size = 0, end = begin + (sqlite3_int64)copy->frames * frame;
    if (usual->xFileSize(log, &size) != SQLITE_OK) size = 0;
    if (end > size) end = begin + (size > begin ? (size - begin) / frame * frame : 0);
    copy->begin = begin;
    copy->count = (int)(end - begin);
    copy->used = 0;
    // Whoever asks reads again by itself, and is told what is wrong.
    if (!copy->count || usual->xRead(log, copy->piece, copy->count, begin) != SQLITE_OK) {
        copy->count = 0;
        return;
    }
    // Only whole transactions are copied: with a page of one, the others up to its last. Nobody knows what stands behind.
    while (copy->latest < end && !is_last_of_transaction(copy->piece + (copy->latest - frame - begin))) copy->latest += frame;
    if (copy->latest < end) copy->count = (int)(copy->latest - begin);
}

static int read_log(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    addition *ours = addition_of(file);
    const int status = write_gathered(file);
    if (status != SQLITE_OK) return status;
    copying *copy = ours->database ? addition_of(ours->database)->copy : 0;
    const int frame = FRAME_HEADER + count;
    const sqlite3_int64 begin = offset - FRAME_HEADER;
    if (!copy || !is_page_size(count) || begin < LOG_HEADER || (begin - LOG_HEADER) % frame != 0) {
        return ours->usual->xRead(file, bytes, count, offset);
    }
    copy->asked = begin;
    if (copy->latest < begin + frame) copy->latest = begin + frame;
    if (begin < copy->begin || begin + frame > copy->begin + copy->count) read_piece(file, copy, begin, frame);
    if (!copy->count) return ours->usual->xRead(file, bytes, count, offset);
    copy->used += frame;
    memcpy(bytes, copy->piece + (offset - copy->begin), (size_t)count);
    return SQLITE_OK;
}

static int truncate_log(sqlite3_file *file, sqlite3_int64 size) {
    const int status = write_gathered(file);
    return status == SQLITE_OK ? addition_of(file)->usual->xTruncate(file, size) : status;
}

static int sync_log(sqlite3_file *file, int flags) {
    const int status = write_gathered(file);
    return status == SQLITE_OK ? addition_of(file)->usual->xSync(file, flags) : status;
}

static int size_log(sqlite3_file *file, sqlite3_int64 *size) {
    const int status = write_gathered(file);
    return status == SQLITE_OK ? addition_of(file)->usual->xFileSize(file, size) : status;
}

static int close_log(sqlite3_file *file) {
    addition *ours = addition_of(file);
    const sqlite3_io_methods *usual = ours->usual;
    // Of a transaction that did not end, and so of no use to anybody.
    sqlite3_free(ours->gathered);
    ours->gathered = 0;
    return usual->xClose(file);
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *opened) {
    (void)vfs;
    hark_store_room_forget();
    const int status = usual->xOpen(usual, name, file, flags, opened);
    if (status != SQLITE_OK || !(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL))) return status;
    addition *ours = addition_of(file);
    memset(ours, 0, sizeof *ours);
    ours->usual = file->pMethods;
    ours->methods = *file->pMethods;
    ours->reserved = -1;
    if (flags & SQLITE_OPEN_MAIN_DB) {
        ours->room = hark_store_room_of_opened();
        ours->is_trusted = sqlite3_uri_boolean(name, HARK_STORE_TRUSTED, 0);
        ours->methods.xRead = read_page;
        ours->methods.xWrite = write_page;
        ours->methods.xTruncate = truncate_file;
        ours->methods.xFileControl = control_file;
        ours->methods.xClose = close_file;
    } else {
        ours->database = sqlite3_database_file_object(name);
        ours->methods.xWrite = gather;
        ours->methods.xRead = read_log;
        ours->methods.xTruncate = truncate_log;
        ours->methods.xSync = sync_log;
        ours->methods.xFileSize = size_log;
        ours->methods.xClose = close_log;
    }
    file->pMethods = &ours->methods;
    return status;
}

int hark_store_vfs_register(void) {
    usual = sqlite3_vfs_find(0);
    if (!usual) return SQLITE_ERROR;
    hark_store_room_watch(usual);
    // All but opening is the same.
    blanking = *usual;
    blanking.pNext = 0;
    blanking.zName = HARK_STORE_VFS;
    blanking.xOpen = open_file;
    // A multiple of 16, so that what follows is aligned.
    blanking.szOsFile = (usual->szOsFile + 15) / 16 * 16 + (int)sizeof(addition);
    return sqlite3_vfs_register(&blanking, 0);
}
