// SQLite overwrites what it deletes (secure_delete), but not what it moves: when rows go from one page to another, a copy
// stays behind in the unallocated part of the first. Nobody can read it there through SQLite, and when the rows are deleted
// later nobody overwrites it. Here that part is blanked in each page on its way into the file.

#include "Blanking.h"

#include <string.h>

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
static int is_other(
    sqlite3_file *file, const unsigned char *page, sqlite3_int64 size, sqlite3_int64 usable, sqlite3_int64 number) {
    // The maps of auto_vacuum: one, and behind it the pages that it is about.
    const sqlite3_int64 group = usable / 5 + 1, lock_page = 0x40000000 / size + 1;
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
static int find_gap(const unsigned char *page, unsigned usable, sqlite3_int64 number, unsigned *begin, unsigned *end) {
    const unsigned header = number == 1 ? 100 : 0;
    const unsigned char *fields = page + header;
    const int is_leaf = fields[0] == 10 || fields[0] == 13;
    if (!is_leaf && fields[0] != 2 && fields[0] != 5) return 0;
    const unsigned free_block = two_bytes(fields + 1), cells = two_bytes(fields + 3), content = two_bytes(fields + 5);
    const unsigned pointers = header + (is_leaf ? 8 : 12);
    *begin = pointers + 2 * cells;
    // 65536 does not fit in and is written as 0.
    *end = content ? content : LARGEST_PAGE;
    if (*begin >= *end || *end > usable || fields[7] > 60) return 0;
    if (free_block && (free_block < *end || free_block > usable - 4)) return 0;
    for (unsigned at = pointers; at < *begin; at += 2) {
        const unsigned cell = two_bytes(page + at);
        if (cell < *end || cell > usable - 4) return 0;
    }
    return 1;
}

static int is_blank(const unsigned char *bytes, size_t count) {
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, count - 1) == 0;
}

int hark_store_finds_gap(
    sqlite3_file *file, const unsigned char *page, int size, int usable, sqlite3_int64 number, unsigned *begin, unsigned *end) {
    return find_gap(page, (unsigned)usable, number, begin, end) && !is_blank(page + *begin, *end - *begin)
        && !is_other(file, page, size, usable, number);
}

void hark_store_blank(sqlite3_file *file, unsigned char *page, int size, int usable, sqlite3_int64 number) {
    unsigned begin, end;
    if (hark_store_finds_gap(file, page, size, usable, number, &begin, &end)) memset(page + begin, 0, end - begin);
}
