/* Fails or kills at the n-th file system call below one directory.
 *
 * Built by shim.py with the system's compiler, and loaded with LD_PRELOAD into a Python process. The process
 * calls faults_watch(directory), faults_arm(...), runs what it tests, and asks faults_count() and
 * faults_fired(). Calls that concern other places are passed through and are not counted: a path is
 * compared with the directory, a descriptor is remembered when it is opened below it.
 *
 * Linux with glibc only: it replaces the functions that CPython, SQLite and tensorstore call there.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* What a call does; shim.py has the same numbers. */
enum { LOOK = 1, READS = 2, WRITES = 4, MAKES = 8, CHANGES = 16, SYNCS = 32, CLOSES = 64, LOCKS = 128, OVERWRITES = 256 };

/* What happens at the n-th call; shim.py has the same numbers. */
enum { COUNT = 0, KILL = 1, FAIL = 2, SHORT = 3, TORN = 4, FULL = 5, SIGNAL = 6 };

#define DESCRIPTORS 65536
#define LOGGED 8192
#define DETAIL 120

static char watched[4096];
static size_t watched_length;
static unsigned char inside[DESCRIPTORS];
static volatile int armed, fired, kind, number, mask;
static volatile long count, at;
static struct {
    const char *name;
    int class;
    char detail[DETAIL];
} calls[LOGGED];

void faults_watch(const char *directory) {
    armed = 0;
    watched_length = strlen(directory);
    memcpy(watched, directory, watched_length + 1);
    memset(inside, 0, sizeof inside);
}

/* From now on calls are counted; at the `n`-th, the first being 1, `what` happens if its class is in `classes`.
 * `value` is the error of FAIL and FULL, or the signal of SIGNAL. */
void faults_arm(int what, long n, int value, int classes) {
    kind = what;
    at = n;
    number = value;
    mask = classes;
    count = fired = 0;
    armed = 1;
}

void faults_disarm(void) { armed = 0; }
long faults_count(void) { return count; }
int faults_fired(void) { return fired; }
const char *faults_name(long call) { return call >= 0 && call < LOGGED ? calls[call].name : NULL; }
int faults_class(long call) { return call >= 0 && call < LOGGED ? calls[call].class : 0; }
const char *faults_detail(long call) { return call >= 0 && call < LOGGED ? calls[call].detail : NULL; }

static int below(const char *path) {
    return watched_length && strncmp(path, watched, watched_length) == 0 &&
           (path[watched_length] == '/' || path[watched_length] == 0);
}

static int known(int fd) { return fd >= 0 && fd < DESCRIPTORS && inside[fd]; }

static void note(int fd, int is_inside) {
    if (fd >= 0 && fd < DESCRIPTORS) inside[fd] = (unsigned char)is_inside;
}

static int concerns(int directory, const char *path) {
    char here[4096];
    size_t length;
    if (!watched_length || !path) return 0;
    if (path[0] == '/') return below(path);
    if (directory != AT_FDCWD) return known(directory);
    if (!getcwd(here, sizeof here)) return 0;
    length = strlen(here);
    if (length + strlen(path) + 2 > sizeof here) return 0;
    if (strcmp(path, ".") != 0) {
        here[length] = '/';
        strcpy(here + length + 1, path);
    }
    return below(here);
}

/* 0: go on; greater: fail with that error; -1: do half of it; -2: do half of it and die. */
static int gate(const char *name, int class, const char *detail) {
    long here;
    if (!armed) return 0;
    here = __sync_add_and_fetch(&count, 1);
    if (here <= LOGGED) {
        calls[here - 1].name = name;
        calls[here - 1].class = class;
        snprintf(calls[here - 1].detail, DETAIL, "%s", detail ? detail : "");
    }
    if (kind == FULL) {
        if (here < at || !(class & mask)) return 0;
        fired = 1;
        return number;
    }
    if (here != at || kind == COUNT || !(class & mask)) return 0;
    fired = 1;
    switch (kind) {
    case KILL: kill(getpid(), SIGKILL); return 0;
    case FAIL: return number;
    case SHORT: return -1;
    case TORN: return -2;
    case SIGNAL: kill(getpid(), number); return 0;
    default: return 0;
    }
}

static int refused(int error) {
    errno = error;
    return -1;
}

#define REAL(name)                                                                                            \
    static __typeof__(name) *real;                                                                            \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define GATE(concerned, name, class, detail)                                                                  \
    if (concerned) {                                                                                          \
        int verdict = gate(name, class, detail);                                                              \
        if (verdict > 0) return refused(verdict);                                                             \
    }

/* --- opening and closing --- */

static int opens(int directory, const char *path, int flags) {
    if ((flags & O_TMPFILE) == O_TMPFILE) return MAKES;
    return flags & O_CREAT && (flags & O_EXCL || faccessat(directory, path, F_OK, 0) != 0) ? MAKES : LOOK;
}

#define OPEN(name)                                                                                            \
    int name(const char *path, int flags, ...) {                                                              \
        mode_t mode = 0;                                                                                      \
        int fd, concerned = concerns(AT_FDCWD, path);                                                         \
        va_list rest;                                                                                         \
        REAL(name);                                                                                           \
        va_start(rest, flags);                                                                                \
        if (flags & (O_CREAT | O_TMPFILE)) mode = va_arg(rest, mode_t);                                       \
        va_end(rest);                                                                                         \
        GATE(concerned, "open", opens(AT_FDCWD, path, flags), path);                                          \
        fd = real(path, flags, mode);                                                                         \
        note(fd, concerned);                                                                                  \
        return fd;                                                                                            \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                          \
    int name(int directory, const char *path, int flags, ...) {                                               \
        mode_t mode = 0;                                                                                      \
        int fd, concerned = concerns(directory, path);                                                        \
        va_list rest;                                                                                         \
        REAL(name);                                                                                           \
        va_start(rest, flags);                                                                                \
        if (flags & (O_CREAT | O_TMPFILE)) mode = va_arg(rest, mode_t);                                       \
        va_end(rest);                                                                                         \
        GATE(concerned, "openat", opens(directory, path, flags), path);                                         \
        fd = real(directory, path, flags, mode);                                                              \
        note(fd, concerned);                                                                                  \
        return fd;                                                                                            \
    }
OPENAT(openat)
OPENAT(openat64)

/* openat2(2), which libc has no function for: what is done below a directory that it opened counts, too. */
long syscall(long number, ...) {
    long given[6];
    int place, concerned;
    long made;
    va_list rest;
    REAL(syscall);
    va_start(rest, number);
    for (place = 0; place < 6; place++) given[place] = va_arg(rest, long);
    va_end(rest);
    if (number != SYS_openat2) return real(number, given[0], given[1], given[2], given[3], given[4], given[5]);
    concerned = concerns((int)given[0], (const char *)given[1]);
    GATE(concerned, "openat2", LOOK, (const char *)given[1]);
    made = real(number, given[0], given[1], given[2], given[3]);
    if (made >= 0) note((int)made, concerned);
    return made;
}

int close(int fd) {
    int verdict = 0, result;
    REAL(close);
    if (known(fd)) verdict = gate("close", CLOSES, "");
    note(fd, 0);
    result = real(fd);
    /* A close that fails has closed all the same. */
    return verdict > 0 ? refused(verdict) : result;
}

int dup(int fd) {
    int made, concerned = known(fd);
    REAL(dup);
    GATE(concerned, "dup", LOOK, "");
    made = real(fd);
    note(made, concerned);
    return made;
}

int dup2(int fd, int other) {
    int made;
    REAL(dup2);
    made = real(fd, other);
    if (made >= 0) note(made, known(fd));
    return made;
}

int dup3(int fd, int other, int flags) {
    int made;
    REAL(dup3);
    made = real(fd, other, flags);
    if (made >= 0) note(made, known(fd));
    return made;
}

#define FCNTL(name)                                                                                           \
    int name(int fd, int command, ...) {                                                                      \
        void *argument;                                                                                       \
        int result, concerned = known(fd);                                                                    \
        va_list rest;                                                                                         \
        REAL(name);                                                                                           \
        va_start(rest, command);                                                                              \
        argument = va_arg(rest, void *);                                                                      \
        va_end(rest);                                                                                         \
        if (command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW) { \
            GATE(concerned, "lock", LOCKS, "");                                                               \
        }                                                                                                     \
        result = real(fd, command, argument);                                                                 \
        if (result >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC)) note(result, concerned);       \
        return result;                                                                                        \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

int flock(int fd, int operation) {
    REAL(flock);
    GATE(known(fd), "flock", LOCKS, "");
    return real(fd, operation);
}

/* --- bytes --- */

/* A full disk takes what is written over bytes that a file has already. */
static int grows(int fd, off64_t place, size_t size) {
    struct stat64 found;
    if (place < 0) place = lseek64(fd, 0, SEEK_CUR);
    return syscall(SYS_fstat, fd, &found) != 0 || place + (off64_t)size > found.st_size ? WRITES : OVERWRITES;
}

#define BYTES(name, shown, class, signature, arguments, halved)                                               \
    ssize_t name signature {                                                                                  \
        int verdict = 0;                                                                                      \
        REAL(name);                                                                                           \
        if (known(fd)) verdict = gate(shown, class, "");                                                      \
        if (verdict > 0) return refused(verdict);                                                             \
        if (verdict < 0) {                                                                                    \
            ssize_t result = real halved;                                                                     \
            if (verdict == -2) kill(getpid(), SIGKILL);                                                       \
            return result;                                                                                    \
        }                                                                                                     \
        return real arguments;                                                                                \
    }
#define HALF(size) ((size) > 1 ? (size) / 2 : (size))

BYTES(write, "write", grows(fd, -1, size), (int fd, const void *data, size_t size), (fd, data, size), (fd, data, HALF(size)))
BYTES(pwrite, "pwrite", grows(fd, place, size), (int fd, const void *data, size_t size, off_t place), (fd, data, size, place),
      (fd, data, HALF(size), place))
BYTES(pwrite64, "pwrite", grows(fd, place, size), (int fd, const void *data, size_t size, off64_t place),
      (fd, data, size, place), (fd, data, HALF(size), place))
BYTES(read, "read", READS, (int fd, void *data, size_t size), (fd, data, size), (fd, data, HALF(size)))
BYTES(pread, "pread", READS, (int fd, void *data, size_t size, off_t place), (fd, data, size, place),
      (fd, data, HALF(size), place))
BYTES(pread64, "pread", READS, (int fd, void *data, size_t size, off64_t place), (fd, data, size, place),
      (fd, data, HALF(size), place))

/* Half of a vector is half of its first piece. */
#define VECTOR(name, shown, class, signature, arguments, one)                                                 \
    ssize_t name signature {                                                                                  \
        int verdict = 0;                                                                                      \
        struct iovec first = {pieces[0].iov_base, HALF(pieces[0].iov_len)};                                   \
        REAL(name);                                                                                           \
        if (known(fd)) verdict = gate(shown, class, "");                                                      \
        if (verdict > 0) return refused(verdict);                                                             \
        if (verdict < 0) {                                                                                    \
            ssize_t result = real one;                                                                        \
            if (verdict == -2) kill(getpid(), SIGKILL);                                                       \
            return result;                                                                                    \
        }                                                                                                     \
        return real arguments;                                                                                \
    }

VECTOR(writev, "writev", WRITES, (int fd, const struct iovec *pieces, int many), (fd, pieces, many),
       (fd, &first, 1))
VECTOR(pwritev, "pwritev", WRITES, (int fd, const struct iovec *pieces, int many, off_t place),
       (fd, pieces, many, place), (fd, &first, 1, place))
VECTOR(pwritev64, "pwritev", WRITES, (int fd, const struct iovec *pieces, int many, off64_t place),
       (fd, pieces, many, place), (fd, &first, 1, place))
VECTOR(readv, "readv", READS, (int fd, const struct iovec *pieces, int many), (fd, pieces, many), (fd, &first, 1))
VECTOR(preadv, "preadv", READS, (int fd, const struct iovec *pieces, int many, off_t place),
       (fd, pieces, many, place), (fd, &first, 1, place))
VECTOR(preadv64, "preadv", READS, (int fd, const struct iovec *pieces, int many, off64_t place),
       (fd, pieces, many, place), (fd, &first, 1, place))

ssize_t copy_file_range(int in, off64_t *in_place, int out, off64_t *out_place, size_t size, unsigned flags) {
    REAL(copy_file_range);
    GATE(known(out), "copy_file_range", WRITES, "");
    return real(in, in_place, out, out_place, size, flags);
}

#define TRUNCATE(name, offset)                                                                                \
    int name(int fd, offset size) {                                                                           \
        REAL(name);                                                                                           \
        GATE(known(fd), "ftruncate", CHANGES, "");                                                            \
        return real(fd, size);                                                                                \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

int fsync(int fd) {
    REAL(fsync);
    GATE(known(fd), "fsync", SYNCS, "");
    return real(fd);
}

int fdatasync(int fd) {
    REAL(fdatasync);
    GATE(known(fd), "fdatasync", SYNCS, "");
    return real(fd);
}

/* --- names --- */

int rename(const char *old, const char *new) {
    REAL(rename);
    GATE(concerns(AT_FDCWD, old) || concerns(AT_FDCWD, new), "rename", CHANGES, new);
    return real(old, new);
}

int renameat(int old_directory, const char *old, int new_directory, const char *new) {
    REAL(renameat);
    GATE(concerns(old_directory, old) || concerns(new_directory, new), "renameat", CHANGES, new);
    return real(old_directory, old, new_directory, new);
}

int renameat2(int old_directory, const char *old, int new_directory, const char *new, unsigned flags) {
    REAL(renameat2);
    GATE(concerns(old_directory, old) || concerns(new_directory, new), "renameat2", CHANGES, new);
    return real(old_directory, old, new_directory, new, flags);
}

int link(const char *old, const char *new) {
    REAL(link);
    GATE(concerns(AT_FDCWD, new), "link", MAKES, new);
    return real(old, new);
}

int linkat(int old_directory, const char *old, int new_directory, const char *new, int flags) {
    REAL(linkat);
    GATE(concerns(new_directory, new), "linkat", MAKES, new);
    return real(old_directory, old, new_directory, new, flags);
}

int symlinkat(const char *target, int directory, const char *path) {
    REAL(symlinkat);
    GATE(concerns(directory, path), "symlinkat", MAKES, path);
    return real(target, directory, path);
}

int unlink(const char *path) {
    REAL(unlink);
    GATE(concerns(AT_FDCWD, path), "unlink", CHANGES, path);
    return real(path);
}

int unlinkat(int directory, const char *path, int flags) {
    REAL(unlinkat);
    GATE(concerns(directory, path), "unlinkat", CHANGES, path);
    return real(directory, path, flags);
}

int rmdir(const char *path) {
    REAL(rmdir);
    GATE(concerns(AT_FDCWD, path), "rmdir", CHANGES, path);
    return real(path);
}

int mkdir(const char *path, mode_t mode) {
    REAL(mkdir);
    GATE(concerns(AT_FDCWD, path), "mkdir", MAKES, path);
    return real(path, mode);
}

int mkdirat(int directory, const char *path, mode_t mode) {
    REAL(mkdirat);
    GATE(concerns(directory, path), "mkdirat", MAKES, path);
    return real(directory, path, mode);
}

int fchmod(int fd, mode_t mode) {
    REAL(fchmod);
    GATE(known(fd), "fchmod", CHANGES, "");
    return real(fd, mode);
}

/* --- looking --- */

#define STAT_PATH(name, record)                                                                               \
    int name(const char *path, struct record *found) {                                                        \
        REAL(name);                                                                                           \
        GATE(concerns(AT_FDCWD, path), "stat", LOOK, path);                                                   \
        return real(path, found);                                                                             \
    }
STAT_PATH(stat, stat)
STAT_PATH(stat64, stat64)
STAT_PATH(lstat, stat)
STAT_PATH(lstat64, stat64)

#define STAT_FD(name, record)                                                                                 \
    int name(int fd, struct record *found) {                                                                  \
        REAL(name);                                                                                           \
        GATE(known(fd), "fstat", LOOK, "");                                                                   \
        return real(fd, found);                                                                               \
    }
STAT_FD(fstat, stat)
STAT_FD(fstat64, stat64)

#define STAT_AT(name, record)                                                                                 \
    int name(int directory, const char *path, struct record *found, int flags) {                              \
        REAL(name);                                                                                           \
        GATE(concerns(directory, path), "fstatat", LOOK, path);                                               \
        return real(directory, path, found, flags);                                                           \
    }
STAT_AT(fstatat, stat)
STAT_AT(fstatat64, stat64)

int access(const char *path, int mode) {
    REAL(access);
    GATE(concerns(AT_FDCWD, path), "access", LOOK, path);
    return real(path, mode);
}

DIR *opendir(const char *path) {
    DIR *made;
    int concerned = concerns(AT_FDCWD, path);
    REAL(opendir);
    if (concerned) {
        int verdict = gate("opendir", LOOK, path);
        if (verdict > 0) {
            errno = verdict;
            return NULL;
        }
    }
    made = real(path);
    if (made) note(dirfd(made), concerned);
    return made;
}

int closedir(DIR *directory) {
    REAL(closedir);
    note(dirfd(directory), 0);
    return real(directory);
}

#define READDIR(name, record)                                                                                 \
    struct record *name(DIR *directory) {                                                                     \
        REAL(name);                                                                                           \
        if (known(dirfd(directory))) {                                                                        \
            int verdict = gate("readdir", READS, "");                                                         \
            if (verdict > 0) {                                                                                \
                errno = verdict;                                                                              \
                return NULL;                                                                                  \
            }                                                                                                 \
        }                                                                                                     \
        return real(directory);                                                                               \
    }
READDIR(readdir, dirent)
READDIR(readdir64, dirent64)
