// Preloaded into harkd: journals, in their order, all that it does to the files below one folder, what it has synced, and
// what it has sent to its clients. `disk.py` reads the journal and says what a disk may hold after a power loss.
//
// POWERLOSS_DISK is the folder, POWERLOSS_JOURNAL the file to append to. A change is carried out and journaled under one
// lock, so that the journal has the true order; a sync has a begin and an end, as others go on writing meanwhile. Nothing is
// really synced: the files live as long as the machine, and a sync only takes the time that a fast disk would.
//
// A call that changes files and is not here would go unseen; so at the end of each run the disk as the journal has it, with
// nothing lost, is compared with the real one. Memory maps are such a call: only SQLite's `-shm` uses them, and it is made anew
// after a power loss anyway.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum kind { NOTHING, PLAIN, FOLDER, CLIENT };

static struct {
    enum kind kind;
    uint64_t inode;
} table[65536];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int journal = -1;
static char disk[PATH_MAX];
static size_t disk_length;

// SIGUSR2 ends the process as SIGKILL does, but never between a change and its entry.
static volatile sig_atomic_t is_to_die;

static void die(void) { syscall(SYS_kill, getpid(), SIGKILL); }

static void end(int signal) {
    (void)signal;
    if (pthread_mutex_trylock(&lock) == 0) die();
    is_to_die = 1;
}

static void unlock(void) {
    if (is_to_die) die();
    pthread_mutex_unlock(&lock);
}

static void fail(const char *what) {
    fprintf(stderr, "journal.so: %s: %s\n", what, strerror(errno));
    _exit(111);
}

__attribute__((constructor)) static void begin(void) {
    const char *folder = getenv("POWERLOSS_DISK"), *file = getenv("POWERLOSS_JOURNAL");
    if (!folder || !file) return;
    snprintf(disk, sizeof disk, "%s", folder);
    disk_length = strlen(disk);
    journal = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (journal < 0) fail(file);
    signal(SIGUSR2, end);
    // What harkd starts is none of this.
    unsetenv("LD_PRELOAD");
}

// One entry: kind, three numbers, two strings with their lengths. A single write, so entries are whole.
static void note(char kind, int64_t a, int64_t b, int64_t c, const void *first, size_t n, const void *second, size_t m) {
    struct __attribute__((packed)) { char kind; int64_t a, b, c; uint32_t n, m; } head = {kind, a, b, c, n, m};
    struct iovec parts[3] = {{&head, sizeof head}, {(void *)first, n}, {(void *)second, m}};
    if (syscall(SYS_writev, journal, parts, 3) != (ssize_t)(sizeof head + n + m)) fail("write");
}

static void note_path(char kind, int64_t a, int64_t b, int64_t c, const char *path) {
    note(kind, a, b, c, path, strlen(path), "", 0);
}

// The path as the journal has it: absolute. Returns 0 if it is none of the disk's.
static int resolve(int folder, const char *path, char *full) {
    if (journal < 0 || !path) return 0;
    if (path[0] == '/') {
        snprintf(full, PATH_MAX, "%s", path);
    } else {
        char link[64], base[PATH_MAX];
        snprintf(link, sizeof link, folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", folder);
        ssize_t length = readlink(link, base, sizeof base - 1);
        if (length < 0) return 0;
        base[length] = 0;
        if ((size_t)snprintf(full, PATH_MAX, "%s/%s", base, path) >= PATH_MAX) return 0;
    }
    return strncmp(full, disk, disk_length) == 0 && full[disk_length] == '/';
}

static enum kind kind_of(int fd) {
    return journal >= 0 && fd >= 0 && fd < 65536 ? table[fd].kind : NOTHING;
}

static void forget(int fd) {
    if (fd >= 0 && fd < 65536) table[fd].kind = NOTHING;
}

// MARK: Opening and closing

static int open_noted(int folder, const char *path, int flags, mode_t mode) {
    char full[PATH_MAX];
    if (!resolve(folder, path, full)) {
        int fd = syscall(SYS_openat, folder, path, flags, mode);
        if (journal >= 0) forget(fd);
        return fd;
    }
    pthread_mutex_lock(&lock);
    struct stat before, now;
    int was_there = syscall(SYS_newfstatat, AT_FDCWD, full, &before, 0) == 0;
    int fd = syscall(SYS_openat, folder, path, flags, mode);
    int reason = errno;
    if (fd >= 0 && fd < 65536 && fstat(fd, &now) == 0) {
        table[fd].inode = now.st_ino;
        table[fd].kind = S_ISDIR(now.st_mode) ? FOLDER : PLAIN;
        if (table[fd].kind == PLAIN) {
            note_path('O', now.st_ino, !was_there, 0, full);
            if (was_there && (flags & O_TRUNC) && before.st_size) note_path('T', now.st_ino, 0, 0, "");
        }
    }
    unlock();
    errno = reason;
    return fd;
}

#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { va_list list; va_start(list, flags); mode = va_arg(list, mode_t); va_end(list); }

int open(const char *path, int flags, ...) { MODE(flags) return open_noted(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return open_noted(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE(flags) return open_noted(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE(flags) return open_noted(folder, path, flags, mode); }
int creat(const char *path, mode_t mode) { return open_noted(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags) {
    int client = syscall(SYS_accept4, fd, address, length, flags);
    int reason = errno;
    if (journal >= 0 && client >= 0 && client < 65536) {
        pthread_mutex_lock(&lock);
        table[client].kind = CLIENT;
        note_path('C', client, 0, 0, "");
        unlock();
    }
    errno = reason;
    return client;
}

int close(int fd) {
    forget(fd);
    return syscall(SYS_close, fd);
}

// MARK: Writing

// `count` bytes were to be written, at `offset` or, with -1, where the file stands.
static ssize_t write_noted(int fd, const struct iovec *parts, int count, int64_t offset) {
    enum kind kind = kind_of(fd);
    int is_noted = kind == PLAIN || kind == CLIENT;
    if (is_noted) pthread_mutex_lock(&lock);
    ssize_t done = offset < 0 ? syscall(SYS_writev, fd, parts, count) : syscall(SYS_pwritev, fd, parts, count, offset, 0);
    int reason = errno;
    if (done > 0 && is_noted) {
        char *bytes = malloc(done), *end = bytes;
        if (!bytes) fail("malloc");
        for (int i = 0; i < count && end < bytes + done; i++) {
            size_t size = parts[i].iov_len < (size_t)(bytes + done - end) ? parts[i].iov_len : (size_t)(bytes + done - end);
            end = mempcpy(end, parts[i].iov_base, size);
        }
        if (kind == CLIENT) {
            note('A', fd, 0, 0, bytes, done, "", 0);
        } else {
            if (offset < 0) offset = syscall(SYS_lseek, fd, 0, SEEK_CUR) - done;
            note('W', table[fd].inode, offset, 0, bytes, done, "", 0);
        }
        free(bytes);
    }
    if (is_noted) unlock();
    errno = reason;
    return done;
}

static ssize_t write_one(int fd, const void *bytes, size_t count, int64_t offset) {
    struct iovec part = {(void *)bytes, count};
    return write_noted(fd, &part, 1, offset);
}

ssize_t write(int fd, const void *bytes, size_t count) { return write_one(fd, bytes, count, -1); }
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) { return write_one(fd, bytes, count, offset); }
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) { return write_one(fd, bytes, count, offset); }
ssize_t writev(int fd, const struct iovec *parts, int count) { return write_noted(fd, parts, count, -1); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) { return write_noted(fd, parts, count, offset); }
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) { return write_noted(fd, parts, count, offset); }

ssize_t send(int fd, const void *bytes, size_t count, int flags) {
    int is_client = kind_of(fd) == CLIENT;
    if (is_client) pthread_mutex_lock(&lock);
    ssize_t done = syscall(SYS_sendto, fd, bytes, count, flags, NULL, 0);
    int reason = errno;
    if (is_client) {
        if (done > 0) note('A', fd, 0, 0, bytes, done, "", 0);
        unlock();
    }
    errno = reason;
    return done;
}

static int truncate_noted(int fd, int64_t size) {
    int is_plain = kind_of(fd) == PLAIN;
    if (is_plain) pthread_mutex_lock(&lock);
    int result = syscall(SYS_ftruncate, fd, size);
    int reason = errno;
    if (is_plain) {
        if (result == 0) note_path('T', table[fd].inode, size, 0, "");
        unlock();
    }
    errno = reason;
    return result;
}

int ftruncate(int fd, off_t size) { return truncate_noted(fd, size); }
int ftruncate64(int fd, off64_t size) { return truncate_noted(fd, size); }

static int allocate_noted(int fd, int mode, int64_t offset, int64_t length) {
    int is_plain = kind_of(fd) == PLAIN;
    struct stat before, now;
    if (is_plain) { pthread_mutex_lock(&lock); fstat(fd, &before); }
    int result = syscall(SYS_fallocate, fd, mode, offset, length);
    int reason = errno;
    if (is_plain) {
        if (mode & ~1) fail("fallocate with a mode that is not modelled");
        if (result == 0 && fstat(fd, &now) == 0 && now.st_size != before.st_size)
            note_path('T', table[fd].inode, now.st_size, 0, "");
        unlock();
    }
    errno = reason;
    return result;
}

int fallocate(int fd, int mode, off_t offset, off_t length) { return allocate_noted(fd, mode, offset, length); }
int fallocate64(int fd, int mode, off64_t offset, off64_t length) { return allocate_noted(fd, mode, offset, length); }
int posix_fallocate(int fd, off_t offset, off_t length) { return allocate_noted(fd, 0, offset, length) ? errno : 0; }
int posix_fallocate64(int fd, off64_t offset, off64_t length) { return allocate_noted(fd, 0, offset, length) ? errno : 0; }

// MARK: Syncing

static void take_time(void) {
    // 0.1 to 0.5 ms, so that others get ahead meanwhile.
    struct timespec time = {0, 100000 + (random() % 400000)};
    nanosleep(&time, NULL);
}

static int sync_noted(int fd, char begin, char end) {
    enum kind kind = kind_of(fd);
    if (kind != PLAIN && kind != FOLDER) return 0;
    char link[64], path[PATH_MAX] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (kind == FOLDER && readlink(link, path, sizeof path - 1) < 0) return -1;
    int64_t token = gettid();
    pthread_mutex_lock(&lock);
    note_path(begin, token, kind == FOLDER, table[fd].inode, path);
    unlock();
    take_time();
    pthread_mutex_lock(&lock);
    note_path(end, token, 0, 0, "");
    unlock();
    return 0;
}

int fsync(int fd) { return sync_noted(fd, 's', 'S'); }
int fdatasync(int fd) { return sync_noted(fd, 's', 'S'); }
int syncfs(int fd) { return sync_noted(fd, 'g', 'S'); }
// Says nothing about metadata, so it makes nothing safe in the model either.
int sync_file_range(int fd, off64_t offset, off64_t count, unsigned flags) { (void)fd, (void)offset, (void)count, (void)flags; return 0; }

// MARK: Names

static int name_noted(char kind, long number, int folder, const char *path, long flags) {
    char full[PATH_MAX];
    int is_ours = resolve(folder, path, full);
    if (is_ours) pthread_mutex_lock(&lock);
    int result = number == SYS_mkdirat ? syscall(number, folder, path, (mode_t)flags)
                                       : syscall(number, folder, path, (int)flags);
    int reason = errno;
    if (is_ours) {
        if (result == 0) note_path(kind, 0, 0, 0, full);
        unlock();
    }
    errno = reason;
    return result;
}

int mkdir(const char *path, mode_t mode) { return name_noted('M', SYS_mkdirat, AT_FDCWD, path, mode); }
int mkdirat(int folder, const char *path, mode_t mode) { return name_noted('M', SYS_mkdirat, folder, path, mode); }
int rmdir(const char *path) { return name_noted('R', SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR); }
int unlink(const char *path) { return name_noted('U', SYS_unlinkat, AT_FDCWD, path, 0); }
int unlinkat(int folder, const char *path, int flags) {
    return name_noted(flags & AT_REMOVEDIR ? 'R' : 'U', SYS_unlinkat, folder, path, flags);
}
int remove(const char *path) {
    int result = unlink(path);
    return result == 0 || errno != EISDIR ? result : rmdir(path);
}

static int pair_noted(char kind, long number, int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    char first[PATH_MAX], second[PATH_MAX];
    int is_ours = resolve(from_folder, from, first) + resolve(to_folder, to, second);
    if (is_ours == 1) fail("a name that comes from another disk");
    if (is_ours && kind == 'N' && flags) fail("renameat2 with flags that are not modelled");
    if (is_ours) pthread_mutex_lock(&lock);
    int result = syscall(number, from_folder, from, to_folder, to, flags);
    int reason = errno;
    if (is_ours) {
        if (result == 0) note(kind, 0, 0, 0, first, strlen(first), second, strlen(second));
        unlock();
    }
    errno = reason;
    return result;
}

int rename(const char *from, const char *to) { return pair_noted('N', SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int a, const char *from, int b, const char *to) { return pair_noted('N', SYS_renameat2, a, from, b, to, 0); }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
    return pair_noted('N', SYS_renameat2, a, from, b, to, flags);
}
int link(const char *from, const char *to) { return pair_noted('L', SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0); }
int linkat(int a, const char *from, int b, const char *to, int flags) {
    return pair_noted('L', SYS_linkat, a, from, b, to, (unsigned)flags);
}
