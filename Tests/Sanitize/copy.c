// Has SQLite copy the write-ahead log into the file through the store's VFS, with pages of every size, while others commit and
// read what they have read before, and while the disk refuses: `copy SEED FOLDER`. In the middle of each copying a store is
// made of the files as they are then, as a crash would leave them.
#include <CStoreFile.h>

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 60, READERS = 3, COPIES = 60, LONGEST = 3 * 65536 };

// The version of each row; 0 if it is not there.
typedef struct { unsigned versions[ROWS]; } contents;

static unsigned seed, page;
static char path[PATH_MAX];
static contents now;
static sqlite3 *writer, *readers[READERS];
static int is_reading[READERS];
static contents seen[READERS];

// While the log is copied: what refuses when (0: never), whether it has, and how often pages were written together.
static int is_copying, is_emptying, is_meanwhile, has_failed;
static unsigned writes_left, reads_left, together;

static unsigned chance(unsigned count) { return (unsigned)rand_r(&seed) % count; }

static void run(sqlite3 *database, const char *sql) {
    char *problem = 0;
    if (sqlite3_exec(database, sql, 0, 0, &problem) != SQLITE_OK) fprintf(stderr, "%s: %s\n", sql, problem), abort();
}

static sqlite3 *open_store(const char *path, const char *vfs) {
    sqlite3 *database;
    assert(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs) == SQLITE_OK);
    // No power is lost here.
    run(database, "PRAGMA wal_autocheckpoint=0; PRAGMA synchronous=OFF");
    return database;
}

// What a version of a row says: short mostly, and now and then of several pages.
static const char *text_of(unsigned id, unsigned version) {
    static char text[LONGEST];
    unsigned own = id * 7919 + version * 104729;
    const unsigned length = (unsigned)rand_r(&own) % (rand_r(&own) % 4 ? page / 6 + 20 : page * 5 / 2);
    const int head = snprintf(text, sizeof text, "<%u-%u>", id, version);
    memset(text + head, 'a' + (int)(version % 26), length);
    text[head + (int)length] = 0;
    return text;
}

static void expect(sqlite3 *database, const contents *expected) {
    sqlite3_stmt *rows;
    assert(sqlite3_prepare_v2(database, "SELECT id, version, text FROM item ORDER BY id", -1, &rows, 0) == SQLITE_OK);
    unsigned next = 0;
    while (sqlite3_step(rows) == SQLITE_ROW) {
        const unsigned id = (unsigned)sqlite3_column_int(rows, 0), version = (unsigned)sqlite3_column_int(rows, 1);
        for (; next < id; next++) assert(!expected->versions[next]);
        assert(id < ROWS && expected->versions[id] == version && "a row is not as it was committed");
        assert(strcmp((const char *)sqlite3_column_text(rows, 2), text_of(id, version)) == 0);
        next = id + 1;
    }
    for (; next < ROWS; next++) assert(!expected->versions[next]);
    assert(sqlite3_finalize(rows) == SQLITE_OK);
}

static void check_integrity(sqlite3 *database) {
    sqlite3_stmt *check;
    assert(sqlite3_prepare_v2(database, "PRAGMA integrity_check", -1, &check, 0) == SQLITE_OK);
    assert(sqlite3_step(check) == SQLITE_ROW && strcmp((const char *)sqlite3_column_text(check, 0), "ok") == 0);
    sqlite3_finalize(check);
}

static void commit(void) {
    static unsigned version;
    run(writer, "BEGIN");
    for (unsigned change = chance(6) + 1; change; change--) {
        const unsigned id = chance(ROWS);
        char *sql = now.versions[id] && !chance(3)
            ? sqlite3_mprintf("DELETE FROM item WHERE id = %u", id)
            : sqlite3_mprintf("INSERT OR REPLACE INTO item VALUES(%u, %u, '%s')", id, version + 1, text_of(id, version + 1));
        now.versions[id] = sql[0] == 'D' ? 0 : ++version;
        run(writer, sql);
        sqlite3_free(sql);
    }
    run(writer, "COMMIT");
    if (!chance(6)) run(writer, "PRAGMA incremental_vacuum");
}

static void turn_reader(unsigned reader) {
    sqlite3 *database = readers[reader];
    if (is_reading[reader]) {
        sqlite3_db_release_memory(database);
        expect(database, &seen[reader]);
        if (chance(4)) return;
        run(database, "COMMIT");
    } else {
        run(database, "BEGIN");
        seen[reader] = now;
        expect(database, &now);
    }
    is_reading[reader] ^= 1;
}

static void copy_file(const char *from, const char *to) {
    static char bytes[65536];
    FILE *source = fopen(from, "rb"), *copy = fopen(to, "wb");
    assert(source && copy);
    for (size_t count; (count = fread(bytes, 1, sizeof bytes, source));) assert(fwrite(bytes, 1, count, copy) == count);
    fclose(source);
    assert(fclose(copy) == 0);
}

// As the files are left when the program ends now.
static void expect_after_crash(void) {
    char copy[PATH_MAX + 10], log[PATH_MAX + 10], log_copy[PATH_MAX + 20];
    snprintf(copy, sizeof copy, "%s.crash", path);
    snprintf(log, sizeof log, "%s-wal", path);
    snprintf(log_copy, sizeof log_copy, "%s-wal", copy);
    copy_file(path, copy);
    copy_file(log, log_copy);
    sqlite3 *database = open_store(copy, 0);
    expect(database, &now);
    check_integrity(database);
    assert(sqlite3_close(database) == SQLITE_OK);
}

// What others do while the log is being copied.
static void meanwhile(void) {
    is_meanwhile = 1;
    // Who empties the log lets nobody write.
    if (!is_emptying && !chance(6)) commit();
    if (!chance(3)) turn_reader(chance(READERS));
    if (!chance(40)) expect_after_crash();
    is_meanwhile = 0;
}

static int is_file(int descriptor, const char *name) {
    char link[40], target[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(link, target, sizeof target - 1);
    if (length < 0) return 0;
    target[length] = 0;
    return strcmp(target, name) == 0;
}

// Refuses at the given time, and from then on.
static int refuses(unsigned *left) {
    if (*left > 1) return --*left, 0;
    if (*left) has_failed = 1, errno = chance(2) ? ENOSPC : EIO;
    return *left != 0;
}

static ssize_t write_at(int descriptor, const void *bytes, size_t count, off_t offset) {
    if (!is_copying || is_meanwhile || !is_file(descriptor, path)) return pwrite(descriptor, bytes, count, offset);
    if (refuses(&writes_left)) return -1;
    together += count > page;
    const ssize_t written = pwrite(descriptor, bytes, count, offset);
    meanwhile();
    return written;
}

static ssize_t read_at(int descriptor, void *bytes, size_t count, off_t offset) {
    char log[PATH_MAX + 10];
    snprintf(log, sizeof log, "%s-wal", path);
    const int is_log = is_copying && !is_meanwhile && is_file(descriptor, log);
    return is_log && refuses(&reads_left) ? -1 : pread(descriptor, bytes, count, offset);
}

static void copy_log(sqlite3 *database) {
    has_failed = 0;
    writes_left = chance(3) ? 0 : chance(8) + 1;
    reads_left = chance(4) ? 0 : chance(8) + 1;
    is_emptying = !chance(4);
    is_copying = 1;
    const int mode = is_emptying ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
    const int status = sqlite3_wal_checkpoint_v2(database, 0, mode, 0, 0);
    is_copying = 0;
    assert(has_failed == (status == SQLITE_IOERR || status == SQLITE_FULL) && "a refusal was not told, or told for nothing");
    assert(has_failed || status == SQLITE_OK || status == SQLITE_BUSY);
    if (has_failed) expect_after_crash();
}

static void check_number(sqlite3 *database, unsigned id, int expected) {
    sqlite3_stmt *row;
    assert(sqlite3_prepare_v2(database, "SELECT CAST(text AS INTEGER) FROM page WHERE id = ?", -1, &row, 0) == SQLITE_OK);
    sqlite3_bind_int(row, 1, (int)id);
    assert(sqlite3_step(row) == SQLITE_ROW && sqlite3_column_int(row, 0) == expected && "a reader sees what came later");
    sqlite3_finalize(row);
}

// Two pages that follow each other in the file and in the log, but for somebody who reads what was committed in between: the
// second must not be written yet.
static void work_beside_reader(sqlite3 *copier) {
    char sql[300];
    run(writer, "CREATE TABLE page(id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
    for (unsigned id = 0; id < ROWS; id++) {
        snprintf(sql, sizeof sql, "INSERT INTO page VALUES(%u, printf('%%0*d', %u, 1))", id, page * 2 / 3);
        run(writer, sql);
    }
    assert(sqlite3_wal_checkpoint_v2(copier, 0, SQLITE_CHECKPOINT_TRUNCATE, 0, 0) == SQLITE_OK);
    for (unsigned id = 0; id + 1 < ROWS; id++) {
        snprintf(sql, sizeof sql, "UPDATE page SET text = printf('%%0*d', %u, 2) WHERE id = %u", page * 2 / 3, id);
        run(writer, sql);
        run(readers[1], "BEGIN");
        check_number(readers[1], id, 2);
        snprintf(sql, sizeof sql, "UPDATE page SET text = printf('%%0*d', %u, 2) WHERE id = %u", page * 2 / 3, id + 1);
        run(writer, sql);
        assert(sqlite3_wal_checkpoint_v2(copier, 0, SQLITE_CHECKPOINT_PASSIVE, 0, 0) == SQLITE_OK);
        check_number(readers[1], id + 1, 1);
        run(readers[1], "COMMIT");
        assert(sqlite3_wal_checkpoint_v2(copier, 0, SQLITE_CHECKPOINT_TRUNCATE, 0, 0) == SQLITE_OK);
        check_number(readers[1], id + 1, 2);
    }
}

static void work(const char *folder, const char *vacuum) {
    snprintf(path, sizeof path, "%s/copy-%u-%s.db", folder, page, vacuum);
    memset(&now, 0, sizeof now);
    writer = open_store(path, HARK_STORE_VFS);
    char sql[300];
    snprintf(sql, sizeof sql, "PRAGMA page_size=%u; PRAGMA auto_vacuum=%s; PRAGMA journal_mode=WAL; PRAGMA secure_delete=ON;"
        "CREATE TABLE item(id INTEGER PRIMARY KEY, version INTEGER, text TEXT NOT NULL)", page, vacuum);
    run(writer, sql);
    sqlite3 *copier = open_store(path, HARK_STORE_VFS);
    run(copier, "SELECT count(*) FROM sqlite_schema");
    for (unsigned reader = 0; reader < READERS; reader++) {
        readers[reader] = open_store(path, reader ? HARK_STORE_VFS : 0);
        is_reading[reader] = 0;
    }
    work_beside_reader(copier);
    for (unsigned round = 0; round < COPIES; round++) {
        // Some know of the first of what is in the log only: no more is copied then.
        for (unsigned commits = chance(4) + 1; commits; commits--) commit();
        for (unsigned reader = 0; reader < READERS; reader++) if (chance(2)) turn_reader(reader);
        for (unsigned commits = chance(16); commits; commits--) commit();
        copy_log(copier);
        for (unsigned reader = 0; reader < READERS; reader++) turn_reader(reader);
        expect(writer, &now);
        // What it had of the log while it copied is not what it reads later.
        expect(copier, &now);
    }
    for (unsigned reader = 0; reader < READERS; reader++) assert(sqlite3_close_v2(readers[reader]) == SQLITE_OK);
    assert(sqlite3_close(copier) == SQLITE_OK);
    check_integrity(writer);
    assert(sqlite3_close(writer) == SQLITE_OK);
}

int main(int count, char **arguments) {
    assert(count == 3);
    seed = (unsigned)strtoul(arguments[1], 0, 10);
    assert(hark_store_vfs_register() == SQLITE_OK);
    sqlite3_vfs *usual = sqlite3_vfs_find(0);
    // One of each two is what SQLite calls.
    usual->xSetSystemCall(usual, "pwrite", (sqlite3_syscall_ptr)write_at);
    usual->xSetSystemCall(usual, "pwrite64", (sqlite3_syscall_ptr)write_at);
    usual->xSetSystemCall(usual, "pread", (sqlite3_syscall_ptr)read_at);
    usual->xSetSystemCall(usual, "pread64", (sqlite3_syscall_ptr)read_at);
    for (page = 512; page <= 65536; page *= page < 4096 ? 2 : 4) {
        together = 0;
        work(arguments[2], "NONE");
        work(arguments[2], "INCREMENTAL");
        // Two of the largest are more than is written at once.
        assert((together || page == 65536) && "no pages were written together");
    }
    puts("copying of the log: fine");
}
