/* Writes down what a process asks of the disk, below one folder: preloaded, one record an append.

   POWER_ROOT is the folder, POWER_LOG the file of records, outside of it. A record is written when
   its call has succeeded; a sync has one before it begins and one when it has ended. What is mapped
   into memory (the -shm file, which no recovery reads) is left out. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, SYNC_BEGINS, SYNC_ENDS, TRUNCATE, CREATE, RENAME, UNLINK, LINK };

struct head { uint32_t kind, path, data, unused; int64_t number; };

static int log_fd = -1;
static char root[PATH_MAX];

#define REAL(result, name, ...)                                        \
    static result (*real)(__VA_ARGS__);                                \
    if (!real) real = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
    const char *log = getenv("POWER_LOG"), *below = getenv("POWER_ROOT");
    if (!log || !below) return;
    snprintf(root, sizeof root, "%s/", below);
    int fd = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return;
    log_fd = fcntl(fd, F_DUPFD_CLOEXEC, 900);
    close(fd);
}

static int counts(const char *path) {
    size_t length = strlen(path);
    return log_fd >= 0 && !strncmp(path, root, strlen(root)) &&
           !(length > 4 && !strcmp(path + length - 4, "-shm")) && !strstr(path, " (deleted)");
}

static void note(int kind, const char *path, int64_t number, const void *data, size_t size) {
    int before = errno;
    struct head head = {kind, (uint32_t)strlen(path), (uint32_t)size, 0, number};
    struct iovec parts[] = {
        {&head, sizeof head}, {(void *)path, head.path}, {(void *)data, size}};
    REAL(ssize_t, writev, int, const struct iovec *, int);
    if (real(log_fd, parts, 3) < 0) abort();
    errno = before;
}

static int place_of(int fd, char *path) {
    char link[64];
    if (log_fd < 0 || fd < 0 || fd == log_fd) return 0;
    int before = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    errno = before;
    if (length < 0) return 0;
    path[length] = 0;
    return 1;
}

static int resolve(int folder, const char *name, char *path) {
    char base[PATH_MAX];
    if (log_fd < 0) return 0;
    if (name[0] == '/') return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && counts(path);
    if (folder == AT_FDCWD ? !getcwd(base, sizeof base) : !place_of(folder, base)) return 0;
    return snprintf(path, PATH_MAX, "%s/%s", base, name) < PATH_MAX && counts(path);
}

static int watch_open(int (*call)(int, const char *, int, mode_t), int folder, const char *name,
                      int flags, mode_t mode) {
    char path[PATH_MAX];
    int before = errno, there = 1, watched = (flags & (O_CREAT | O_TRUNC)) && resolve(folder, name, path);
    if (watched) there = faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    errno = before;
    int fd = call(folder, name, flags, mode);
    if (fd >= 0 && watched && !there) note(CREATE, path, 0, NULL, 0);
    if (fd >= 0 && watched && there && (flags & O_TRUNC)) note(TRUNCATE, path, 0, NULL, 0);
    return fd;
}

static int real_openat(int folder, const char *name, int flags, mode_t mode) {
    REAL(int, openat, int, const char *, int, ...);
    return real(folder, name, flags, mode);
}

#define MODE_OF(flags)                                                 \
    mode_t mode = 0;                                                   \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                             \
        va_list more;                                                  \
        va_start(more, flags);                                         \
        mode = va_arg(more, mode_t);                                   \
        va_end(more);                                                  \
    }

int open(const char *name, int flags, ...) {
    MODE_OF(flags)
    return watch_open(real_openat, AT_FDCWD, name, flags, mode);
}
int openat(int folder, const char *name, int flags, ...) {
    MODE_OF(flags)
    return watch_open(real_openat, folder, name, flags, mode);
}

static ssize_t wrote(int fd, const void *data, ssize_t done, int64_t at) {
    char path[PATH_MAX];
    if (done > 0 && place_of(fd, path) && counts(path)) note(WRITE, path, at, data, done);
    return done;
}

ssize_t write(int fd, const void *data, size_t size) {
    REAL(ssize_t, write, int, const void *, size_t);
    ssize_t done = real(fd, data, size);
    if (done <= 0 || log_fd < 0) return done;
    int before = errno;
    off_t end = lseek(fd, 0, SEEK_CUR);
    errno = before;
    return end < 0 ? done : wrote(fd, data, done, end - done);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
    return wrote(fd, data, real(fd, data, size, at), at);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
    REAL(ssize_t, writev, int, const struct iovec *, int);
    char path[PATH_MAX];
    if (!place_of(fd, path) || !counts(path)) return real(fd, parts, count);
    ssize_t all = 0;
    for (int i = 0; i < count; i++) {
        ssize_t done = write(fd, parts[i].iov_base, parts[i].iov_len);
        if (done < 0) return all ? all : done;
        all += done;
        if ((size_t)done < parts[i].iov_len) break;
    }
    return all;
}

static int synced(int (*call)(int), int fd) {
    char path[PATH_MAX];
    if (!place_of(fd, path)) return call(fd);
    strncat(path, "/", PATH_MAX - strlen(path) - 1); /* the root itself counts, too */
    int watched = counts(path);
    path[strlen(path) - 1] = 0;
    if (watched) note(SYNC_BEGINS, path, getpid(), NULL, 0);
    int result = call(fd);
    if (watched && result == 0) note(SYNC_ENDS, path, getpid(), NULL, 0);
    return result;
}

int fsync(int fd) {
    REAL(int, fsync, int);
    return synced(real, fd);
}
int fdatasync(int fd) {
    REAL(int, fdatasync, int);
    return synced(real, fd);
}

int ftruncate(int fd, off_t size) {
    REAL(int, ftruncate, int, off_t);
    char path[PATH_MAX];
    int result = real(fd, size);
    if (result == 0 && place_of(fd, path) && counts(path)) note(TRUNCATE, path, size, NULL, 0);
    return result;
}

int renameat(int from, const char *old, int to, const char *new) {
    REAL(int, renameat, int, const char *, int, const char *);
    char source[PATH_MAX], target[PATH_MAX];
    int watched = resolve(from, old, source), within = resolve(to, new, target);
    int result = real(from, old, to, new);
    if (result == 0 && watched && within) note(RENAME, source, 0, target, strlen(target));
    else if (result == 0 && watched) note(UNLINK, source, 0, NULL, 0);
    else if (result == 0 && within) abort(); /* its content was never seen */
    return result;
}
int rename(const char *old, const char *new) { return renameat(AT_FDCWD, old, AT_FDCWD, new); }

int linkat(int from, const char *old, int to, const char *new, int flags) {
    REAL(int, linkat, int, const char *, int, const char *, int);
    char source[PATH_MAX], target[PATH_MAX];
    int watched = resolve(from, old, source), within = resolve(to, new, target);
    int result = real(from, old, to, new, flags);
    if (result == 0 && watched && within) note(LINK, source, 0, target, strlen(target));
    return result;
}
int link(const char *old, const char *new) { return linkat(AT_FDCWD, old, AT_FDCWD, new, 0); }

int unlinkat(int folder, const char *name, int flags) {
    REAL(int, unlinkat, int, const char *, int);
    char path[PATH_MAX];
    int watched = resolve(folder, name, path), result = real(folder, name, flags);
    if (result == 0 && watched) note(UNLINK, path, 0, NULL, 0);
    return result;
}
int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }

#ifdef __GLIBC__ /* elsewhere these are the same names */
int open64(const char *name, int flags, ...) {
    MODE_OF(flags)
    return watch_open(real_openat, AT_FDCWD, name, flags, mode);
}
int openat64(int folder, const char *name, int flags, ...) {
    MODE_OF(flags)
    return watch_open(real_openat, folder, name, flags, mode);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off_t at) {
    return pwrite(fd, data, size, at);
}
int ftruncate64(int fd, off_t size) { return ftruncate(fd, size); }
#endif
