// SQLite overwrites what it deletes (secure_delete), but not what it moves: when rows go from one page to another, a copy
// stays behind in the unallocated part of the first. Nobody can read it there through SQLite, and when the rows are deleted
// later nobody overwrites it. Here that part is blanked in each page on its way into the file.
//
// Only the file itself is written so, which is when the write-ahead log is copied.
//
// To the log SQLite writes each page by itself, and what says which it is by itself as well. Here they are gathered up to the
// end of a transaction: a commit of a hundred pages is a handful of writes instead of two hundred. Until then nobody else
// looks at them.

#include <CStoreFile.h>
#include <sqlite3.h>
#include <string.h>

enum { SMALLEST_PAGE = 512, LARGEST_PAGE = 65536, FRAME_HEADER = 24, MOST_GATHERED = 131072 };

// What stands behind SQLite's own file object. Its methods are those of the file, but for one.
typedef struct {
    sqlite3_io_methods methods;
    const sqlite3_io_methods *usual;
    // Of the log: what was not written to it yet, and where that goes.
    unsigned char *gathered;
    int count;
    // The page that comes next is the last of a transaction.
    int is_last;
    sqlite3_int64 begin;
} addition;

static sqlite3_vfs *usual, blanking;

static addition *addition_of(sqlite3_file *file) {
    return (addition *)((char *)file + blanking.szOsFile - sizeof(addition));
}

static unsigned two_bytes(const unsigned char *place) { return (unsigned)place[0] << 8 | place[1]; }

// Whether the database has pages that say who refers to others, as auto_vacuum needs them: by the first page, which is the
// first to be written.
static int has_maps(sqlite3_file *file) {
    static const unsigned char none[4];
    unsigned char largest_root[4];
    return file->pMethods->xRead(file, largest_root, sizeof largest_root, 52) != SQLITE_OK
        || memcmp(largest_root, none, sizeof none) != 0;
}

// Whether a page cannot be one of b-trees, whatever it looks like.
static int is_other(sqlite3_file *file, const unsigned char *page, sqlite3_int64 size, sqlite3_int64 number) {
    // The maps of auto_vacuum: one, and behind it the pages that it is about.
    const sqlite3_int64 group = size / 5 + 1, lock_page = 0x40000000 / size + 1;
    sqlite3_int64 map = (number - 2) / group * group + 2;
    if (map == lock_page) map++;
    if (number >= 2 && number == map && has_maps(file)) return 1;
    // Pages of long rows and free ones begin with the number of another, which begins like a b-tree page from 2^25 on
    // only. What is being copied into the file may make it longer, but not by so much.
    const sqlite3_int64 other = (sqlite3_int64)two_bytes(page) << 16 | two_bytes(page + 2);
    sqlite3_int64 length = 0;
    return number > 1
        && (file->pMethods->xFileSize(file, &length) != SQLITE_OK || other <= length / size + (1 << 24));
}

// Where the unallocated part of a b-tree page begins and ends; 0 if there is none, or it is no such page.
static int find_gap(const unsigned char *page, unsigned size, sqlite3_int64 number, unsigned *begin, unsigned *end) {
    const unsigned header = number == 1 ? 100 : 0;
    const unsigned char *fields = page + header;
    const int is_leaf = fields[0] == 10 || fields[0] == 13;
    if (!is_leaf && fields[0] != 2 && fields[0] != 5) return 0;
    const unsigned free_block = two_bytes(fields + 1), cells = two_bytes(fields + 3), content = two_bytes(fields + 5);
    const unsigned pointers = header + (is_leaf ? 8 : 12);
    *begin = pointers + 2 * cells;
    // 65536 does not fit in and is written as 0.
    *end = content ? content : LARGEST_PAGE;
    if (*begin >= *end || *end > size || fields[7] > 60) return 0;
    if (free_block && (free_block < *end || free_block > size - 4)) return 0;
    for (unsigned at = pointers; at < *begin; at += 2) {
        const unsigned cell = two_bytes(page + at);
        if (cell < *end || cell > size - 4) return 0;
    }
    return 1;
}

static int is_blank(const unsigned char *bytes, size_t count) {
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, count - 1) == 0;
}

static int write_page(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    addition *ours = addition_of(file);
    const int is_page = count >= SMALLEST_PAGE && count <= LARGEST_PAGE && (count & (count - 1)) == 0 && offset % count == 0;
    const sqlite3_int64 number = is_page ? offset / count + 1 : 0;
    unsigned begin, end;
    if (!is_page || !find_gap(bytes, (unsigned)count, number, &begin, &end)
        || is_blank((const unsigned char *)bytes + begin, end - begin) || is_other(file, bytes, count, number)) {
        return ours->usual->xWrite(file, bytes, count, offset);
    }
    // SQLite's own copy is not ours to change.
    unsigned char page[LARGEST_PAGE];
    memcpy(page, bytes, (size_t)count);
    memset(page + begin, 0, end - begin);
    return ours->usual->xWrite(file, page, count, offset);
}

// Writes what was gathered. When that fails, so does the transaction that it is of.
static int write_gathered(sqlite3_file *file) {
    addition *ours = addition_of(file);
    const int count = ours->count;
    ours->count = 0;
    return count ? ours->usual->xWrite(file, ours->gathered, count, ours->begin) : SQLITE_OK;
}

static int gather(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    static const unsigned char none[4];
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
    // Before the last page of a transaction stands how many there are in the file then; before others, nothing.
    if (count == FRAME_HEADER) {
        ours->is_last = memcmp((const unsigned char *)bytes + 4, none, sizeof none) != 0;
        return SQLITE_OK;
    }
    return ours->is_last ? write_gathered(file) : SQLITE_OK;
}

static int read_log(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    const int status = write_gathered(file);
    return status == SQLITE_OK ? addition_of(file)->usual->xRead(file, bytes, count, offset) : status;
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
    const int status = usual->xOpen(usual, name, file, flags, opened);
    if (status != SQLITE_OK || !(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL))) return status;
    addition *ours = addition_of(file);
    memset(ours, 0, sizeof *ours);
    ours->usual = file->pMethods;
    ours->methods = *file->pMethods;
    if (flags & SQLITE_OPEN_MAIN_DB) {
        ours->methods.xWrite = write_page;
    } else {
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
    // All but opening is the same.
    blanking = *usual;
    blanking.pNext = 0;
    blanking.zName = HARK_STORE_VFS;
    blanking.xOpen = open_file;
    // A multiple of 16, so that what follows is aligned.
    blanking.szOsFile = (usual->szOsFile + 15) / 16 * 16 + (int)sizeof(addition);
    return sqlite3_vfs_register(&blanking, 0);
}
