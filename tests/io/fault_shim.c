/* Preloaded into the program by faults_test.py and power_loss_test.py: before the k-th call that changes something
   in a folder it kills the process, or lets the call fail as a full or broken disk would; or it writes down every such
   call, with its bytes.

     FAULT_FOLDER=/tmp/x          the calls that count are about files below it (links resolved)
     FAULT_KIND=kill|short|ENOSPC|EIO|EDQUOT|none
     FAULT_CALLS=all|sync         which calls fail; sync: fsync and fdatasync only
     FAULT_AT=7  FAULT_ALSO=0|1   the 7th; and all behind it
     FAULT_COUNT=FILE             gets the number of calls that counted, at each (the process may be killed)
     FAULT_TRACE=FILE             gets the calls; format: record() */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long count = 0;

/* The next definition of this function. */
#define REAL(result, name, ...) \
  static result (*real)(__VA_ARGS__); \
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, #name)

/* A system call past the definitions below. */
static long raw(long number, long a, ...) {
  REAL(long, syscall, long, ...);
  va_list rest;
  va_start(rest, a);
  long b = va_arg(rest, long), c = va_arg(rest, long), d = va_arg(rest, long), e = va_arg(rest, long);
  va_end(rest);
  return real(number, a, b, c, d, e);
}

static int raw_write(int to, const void* bytes, size_t size) {
  while (size > 0) {
    long n = raw(SYS_write, to, bytes, size);
    if (n <= 0) return -1;
    bytes = (const char*)bytes + n;
    size -= (size_t)n;
  }
  return 0;
}

static void append_to(const char* variable, const void* bytes, size_t size, int truncate) {
  const char* file = getenv(variable);
  if (!file) return;
  int to = (int)raw(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | (truncate ? O_TRUNC : O_APPEND) | O_CLOEXEC, 0666);
  if (to < 0 || raw_write(to, bytes, size) != 0) abort();
  raw(SYS_close, to);
}

/* One line of text, then `size` bytes and a newline. */
static void record(const char* what, uint64_t inode, const char* a, const char* b, int64_t offset, const void* bytes,
                   size_t size) {
  if (!getenv("FAULT_TRACE")) return;
  char line[2 * PATH_MAX + 100];
  int n = snprintf(line, sizeof line, "%s\t%llu\t%s\t%s\t%lld\t%zu\n", what, (unsigned long long)inode, a, b,
                   (long long)offset, size);
  append_to("FAULT_TRACE", line, (size_t)n, 0);
  append_to("FAULT_TRACE", bytes, size, 0);
  append_to("FAULT_TRACE", "\n", 1, 0);
}

static int is_below(const char* path) {
  const char* folder = getenv("FAULT_FOLDER");
  const size_t n = folder ? strlen(folder) : 0;
  return n > 0 && strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == 0);
}

static int path_of(int fd, char* path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, PATH_MAX - 1);
  if (n < 0) return 0;
  path[n] = 0;
  return is_below(path);
}

static int resolve(const char* name, char* path) {
  if (name[0] == '/') {
    snprintf(path, PATH_MAX, "%s", name);
  } else {
    char here[PATH_MAX];
    if (!getcwd(here, sizeof here)) return 0;
    while (name[0] == '.' && name[1] == '/') name += 2;
    if (snprintf(path, PATH_MAX, "%s/%s", here, name) >= PATH_MAX) return 0;
  }
  return is_below(path);
}

static uint64_t inode_of(int fd) {
  struct stat found;
  return fstat(fd, &found) == 0 ? found.st_ino : 0;
}

enum { sync_call = 1, write_call = 2 };

/* The errno with which this call is to fail; 0: let it be; -1: only half of it. */
static int fault(int call) {
  const char* at = getenv("FAULT_AT");
  const char* kind = getenv("FAULT_KIND");
  const char* calls = getenv("FAULT_CALLS");
  if (calls && !strcmp(calls, "sync") && call != sync_call) return 0;
  ++count;
  char number[32];
  append_to("FAULT_COUNT", number, (size_t)snprintf(number, sizeof number, "%ld\n", count), 1);
  if (!at || !kind) return 0;
  const long k = atol(at);
  const char* also = getenv("FAULT_ALSO");
  if (count != k && !(count > k && also && *also == '1')) return 0;
  if (!strcmp(kind, "kill")) kill(getpid(), SIGKILL);
  if (!strcmp(kind, "ENOSPC")) return ENOSPC;
  if (!strcmp(kind, "EDQUOT")) return EDQUOT;
  if (!strcmp(kind, "EIO")) return EIO;
  if (!strcmp(kind, "short")) return call != write_call ? 0 : count == k ? -1 : ENOSPC;
  return 0;
}

int open(const char* name, int flags, ...) {
  REAL(int, open, const char*, int, ...);
  mode_t mode = 0;
  if (flags & O_CREAT) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  char path[PATH_MAX];
  if (!(flags & O_CREAT) || !resolve(name, path)) return real(name, flags, mode);
  pthread_mutex_lock(&lock);
  int fd = -1, wrong = fault(0);
  if (wrong > 0) {
    errno = wrong;
  } else {
    fd = real(name, flags, mode);
    if (fd >= 0) record(flags & O_TRUNC ? "create" : "open", inode_of(fd), path, "", 0, "", 0);
  }
  pthread_mutex_unlock(&lock);
  return fd;
}

static ssize_t put(int fd, const void* bytes, size_t size, off_t offset, int append,
                   ssize_t (*again)(int, const void*, size_t, off_t)) {
  pthread_mutex_lock(&lock);
  ssize_t done = -1;
  int wrong = fault(write_call);
  if (wrong > 0) {
    errno = wrong;
  } else {
    if (wrong < 0) size = size > 1 ? size / 2 : size;
    struct stat found;
    if (append) offset = fcntl(fd, F_GETFL) & O_APPEND ? (fstat(fd, &found), found.st_size) : lseek(fd, 0, SEEK_CUR);
    done = again(fd, bytes, size, offset);
    if (done > 0) record("write", inode_of(fd), "", "", offset, bytes, (size_t)done);
  }
  int kept = errno;
  pthread_mutex_unlock(&lock);
  errno = kept;
  return done;
}

static ssize_t plain_write(int fd, const void* bytes, size_t size, off_t offset) {
  (void)offset;
  return raw(SYS_write, fd, bytes, size);
}

static ssize_t placed_write(int fd, const void* bytes, size_t size, off_t offset) {
  return raw(SYS_pwrite64, fd, bytes, size, offset);
}

ssize_t write(int fd, const void* bytes, size_t size) {
  char path[PATH_MAX];
  if (!path_of(fd, path)) return plain_write(fd, bytes, size, 0);
  return put(fd, bytes, size, 0, 1, plain_write);
}

ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  char path[PATH_MAX];
  if (!path_of(fd, path)) return placed_write(fd, bytes, size, offset);
  return put(fd, bytes, size, offset, 0, placed_write);
}

/* A call about an open file that gives 0 or -1. */
static int about(int fd, int call, const char* what, off_t length, long number) {
  char path[PATH_MAX];
  if (!path_of(fd, path)) return (int)raw(number, fd, length);
  pthread_mutex_lock(&lock);
  int result = -1, wrong = fault(call);
  if (wrong > 0) {
    errno = wrong;
  } else {
    result = (int)raw(number, fd, length);
    struct stat found;
    const int folder = fstat(fd, &found) == 0 && S_ISDIR(found.st_mode);
    if (result == 0) record(folder ? "sync-folder" : what, inode_of(fd), path, "", length, "", 0);
  }
  int kept = errno;
  pthread_mutex_unlock(&lock);
  errno = kept;
  return result;
}

int fsync(int fd) { return about(fd, sync_call, "sync", 0, SYS_fsync); }
int fdatasync(int fd) { return about(fd, sync_call, "sync", 0, SYS_fdatasync); }
int ftruncate(int fd, off_t length) { return about(fd, 0, "cut", length, SYS_ftruncate); }

int posix_fallocate(int fd, off_t offset, off_t length) {
  REAL(int, posix_fallocate, int, off_t, off_t);
  char path[PATH_MAX];
  if (!path_of(fd, path)) return real(fd, offset, length);
  pthread_mutex_lock(&lock);
  int result = fault(0);
  if (result <= 0) {
    result = real(fd, offset, length);
    if (result == 0) record("reserve", inode_of(fd), path, "", offset + length, "", 0);
  }
  pthread_mutex_unlock(&lock);
  return result;
}

/* A call about names: a is there, b is made (or empty). */
static int names(const char* what, const char* a, const char* b, long number, long flags) {
  char from[PATH_MAX], to[PATH_MAX] = "";
  const int counts = resolve(a, from) | (*b ? resolve(b, to) : 0);
  pthread_mutex_lock(&lock);
  int result = -1, wrong = counts ? fault(0) : 0;
  if (wrong > 0) {
    errno = wrong;
  } else {
    struct stat found;
    const uint64_t inode = lstat(a, &found) == 0 ? found.st_ino : 0;
    result = number == SYS_unlink ? (int)raw(SYS_unlink, (long)a)
             : number == SYS_link ? (int)raw(SYS_link, (long)a, b)
                                  : (int)raw(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, flags);
    if (counts && result == 0) record(what, inode, from, to, 0, "", 0);
  }
  int kept = errno;
  pthread_mutex_unlock(&lock);
  errno = kept;
  return result;
}

int rename(const char* from, const char* to) { return names("rename", from, to, SYS_renameat2, 0); }
int link(const char* from, const char* to) { return names("link", from, to, SYS_link, 0); }
int unlink(const char* name) { return names("unlink", name, "", SYS_unlink, 0); }

int remove(const char* name) {
  struct stat found;
  if (lstat(name, &found) == 0 && S_ISDIR(found.st_mode)) return rmdir(name);
  return unlink(name);
}

/* The program renames without replacing through this. */
long syscall(long number, ...) {
  va_list rest;
  va_start(rest, number);
  long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long), d = va_arg(rest, long),
       e = va_arg(rest, long), f = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_renameat2) return names("rename", (const char*)b, (const char*)d, SYS_renameat2, e);
  REAL(long, syscall, long, ...);
  return real(number, a, b, c, d, e, f);
}
