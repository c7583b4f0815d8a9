// Has SQLite write files through the store's VFS, with pages of every size, and looks that nothing is lost and nothing that
// was deleted is left: `store SEED`.
#include <CStoreFile.h>

#include <assert.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 600, MARK = 16 };

static void run(sqlite3 *database, const char *sql) {
    char *problem = 0;
    if (sqlite3_exec(database, sql, 0, 0, &problem) != SQLITE_OK) fprintf(stderr, "%s: %s\n", sql, problem), abort();
}

static void check(sqlite3 *database, const char *sql, const char *expected) {
    sqlite3_stmt *statement;
    assert(sqlite3_prepare_v2(database, sql, -1, &statement, 0) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW);
    assert(strcmp((const char *)sqlite3_column_text(statement, 0), expected) == 0);
    sqlite3_finalize(statement);
}

// What was committed is there for others at once, who know nothing of the VFS.
static void check_from_outside(const char *path, const char *is_there) {
    sqlite3 *database;
    assert(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, 0) == SQLITE_OK);
    unsigned there = 0;
    for (unsigned id = 0; id < ROWS; id++) there += (unsigned)is_there[id];
    char sql[100];
    snprintf(sql, sizeof sql, "%u", there);
    check(database, "SELECT count(*) FROM item WHERE text LIKE printf('%%<mark-%08d>%%', id)", sql);
    check(database, "PRAGMA integrity_check", "ok");
    // It is not the last to close the file, or would copy and remove the log.
    assert(sqlite3_close(database) == SQLITE_OK);
}

// One byte of the file is another: what is read of it is what was written, or refused.
static void flip_bytes(const char *path, unsigned *seed) {
    FILE *file = fopen(path, "r+b");
    assert(file && fseek(file, 0, SEEK_END) == 0);
    const long size = ftell(file);
    for (unsigned round = 0; round < 20; round++) {
        const long place = rand_r(seed) % size;
        assert(fseek(file, place, SEEK_SET) == 0);
        const int byte = fgetc(file);
        assert(byte != EOF && fseek(file, place, SEEK_SET) == 0 && fputc(byte ^ 1 << rand_r(seed) % 8, file) != EOF);
        assert(fflush(file) == 0);
        sqlite3 *database;
        sqlite3_stmt *statement = 0;
        assert(sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, HARK_STORE_VFS) == SQLITE_OK);
        if (sqlite3_prepare_v2(database, "SELECT text LIKE '%<mark-%' FROM item NOT INDEXED", -1, &statement, 0)
            == SQLITE_OK) {
            while (sqlite3_step(statement) == SQLITE_ROW) assert(sqlite3_column_int(statement, 0) == 1);
        }
        sqlite3_finalize(statement);
        assert(sqlite3_close(database) == SQLITE_OK);
        assert(fseek(file, place, SEEK_SET) == 0 && fputc(byte, file) != EOF && fflush(file) == 0);
    }
    fclose(file);
}

static void write_store(const char *path, unsigned page, const char *vacuum, unsigned *seed) {
    static char is_there[ROWS], was_there[ROWS], before[ROWS];
    memset(is_there, 0, sizeof is_there), memset(was_there, 0, sizeof was_there);
    sqlite3 *database;
    assert(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, HARK_STORE_VFS) == SQLITE_OK);
    // With checksums and, as in files of earlier versions, without.
    int reserved = rand_r(seed) % 4 ? HARK_STORE_CHECKSUM_BYTES : 0;
    const int has_checksums = reserved > 0;
    sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
    char sql[400];
    snprintf(sql, sizeof sql, "PRAGMA page_size=%u; PRAGMA auto_vacuum=%s; PRAGMA journal_mode=WAL; PRAGMA secure_delete=ON;"
        "CREATE TABLE item(id INTEGER PRIMARY KEY, text TEXT NOT NULL); CREATE INDEX by_text ON item(substr(text, 1, 60));",
        page, vacuum);
    run(database, sql);
    for (unsigned round = 0; round < 30; round++) {
        // With few pages at hand, some go to the log before the transaction ends.
        run(database, round & 1 ? "PRAGMA cache_size=8" : "PRAGMA cache_size=200");
        run(database, round & 2 ? "PRAGMA synchronous=NORMAL" : "PRAGMA synchronous=FULL");
        run(database, "BEGIN");
        memcpy(before, is_there, sizeof before);
        for (unsigned change = 0; change < 60; change++) {
            const unsigned id = rand_r(seed) % ROWS;
            if (is_there[id]) {
                snprintf(sql, sizeof sql, "DELETE FROM item WHERE id = %u", id);
            } else {
                // Now and then a row that needs pages of its own.
                const unsigned length = rand_r(seed) % (rand_r(seed) % 10 ? page / 8 + 20 : page * 3);
                snprintf(sql, sizeof sql, "INSERT INTO item VALUES(%u, hex(%u) || '<mark-%08u>' || hex(zeroblob(%u)))", id,
                    rand_r(seed), id, length / 2);
                was_there[id] = 1;
            }
            run(database, sql);
            is_there[id] ^= 1;
        }
        if (rand_r(seed) % 4) {
            run(database, "COMMIT");
        } else {
            run(database, "ROLLBACK");
            memcpy(is_there, before, sizeof before);
        }
        check_from_outside(path, is_there);
        run(database, "PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)");
        sqlite3_db_release_memory(database);

        FILE *file = fopen(path, "rb");
        assert(file && fseek(file, 0, SEEK_END) == 0);
        const size_t size = (size_t)ftell(file);
        char *bytes = malloc(size);
        rewind(file);
        assert(fread(bytes, 1, size, file) == size);
        fclose(file);
        for (char *at = bytes; (at = memmem(at, size - (size_t)(at - bytes), "<mark-", 6)); at++) {
            // A mark at the end of one page may go on in another.
            if (at + MARK > bytes + size || at[14] != '>') continue;
            assert(is_there[strtoul(at + 6, 0, 10)] && "what was deleted is left in the file");
        }
        free(bytes);
    }
    check(database, "PRAGMA integrity_check", "ok");
    unsigned there = 0;
    for (unsigned id = 0; id < ROWS; id++) there += (unsigned)is_there[id];
    snprintf(sql, sizeof sql, "%u", there);
    check(database, "SELECT count(*) FROM item WHERE text LIKE printf('%%<mark-%08d>%%', id)", sql);
    assert(sqlite3_close(database) == SQLITE_OK);
    if (has_checksums) flip_bytes(path, seed);
}

int main(int count, char **arguments) {
    assert(count == 3);
    unsigned seed = (unsigned)strtoul(arguments[1], 0, 10);
    assert(hark_store_vfs_register() == SQLITE_OK);
    const char *vacuums[] = {"NONE", "INCREMENTAL"};
    for (unsigned page = 512; page <= 65536; page *= page < 4096 ? 2 : 4) {
        for (unsigned vacuum = 0; vacuum < 2; vacuum++) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%u-%u.db", arguments[2], page, vacuum);
            write_store(path, page, vacuums[vacuum], &seed);
        }
    }
    puts("store file: fine");
}
