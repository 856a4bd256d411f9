// A disk that fails on purpose: preloaded into a run, it lets the k-th call of one kind on files below a folder fail.
//   LD_PRELOAD=fault_shim.so FAULT_FOLDER=/tmp/r FAULT_CALL=write FAULT_NUMBER=3 FAULT_KIND=ENOSPC|EIO|short|kill
// FAULT_CALL=any counts calls of all kinds. Or memory that is short: FAULT_CALL=aligned_alloc, which arrays of a CPU
// come from.
//   FAULT_KIND=stop: the process stops itself (SIGSTOP) before the call, until it is continued
//   FAULT_KIND=hour: an hour of the steady clock passes before the call
//   FAULT_STAYS=1: all later ones fail, too    FAULT_COUNT=file: how many calls of the kind there were
//   FAULT_RANK=1: on that rank alone
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static long count, hours;

static const char* setting(const char* name) {
  const char* value = getenv(name);
  return value == NULL ? "" : value;
}

static int below_folder(const char* path) {
  const char* folder = setting("FAULT_FOLDER");
  return folder[0] != 0 && strncmp(path, folder, strlen(folder)) == 0;
}

static int of_folder(int descriptor) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return below_folder(path);
}

// 0: do what was asked for; 1: fail; 2: write less than asked for
static int fault(const char* call) {
  const char *chosen = setting("FAULT_CALL"), *rank = setting("FAULT_RANK");
  if (rank[0] != 0 && strcmp(rank, setting("OMPI_COMM_WORLD_RANK")) != 0) return 0;
  if (strcmp(chosen, call) != 0 && (strcmp(chosen, "any") != 0 || strcmp(call, "aligned_alloc") == 0)) return 0;
  const long number = atol(setting("FAULT_NUMBER")), now = __sync_add_and_fetch(&count, 1);
  if (now != number && !(now > number && number > 0 && setting("FAULT_STAYS")[0] == '1')) return 0;
  const char* kind = setting("FAULT_KIND");
  if (strcmp(kind, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(kind, "stop") == 0) return raise(SIGSTOP);
  if (strcmp(kind, "hour") == 0) {
    __sync_add_and_fetch(&hours, 1);
    return 0;
  }
  if (strcmp(kind, "short") == 0) return 2;
  errno = strcmp(kind, "EIO") == 0 ? EIO : strcmp(kind, "EINVAL") == 0 ? EINVAL : ENOSPC;
  return 1;
}

__attribute__((destructor)) static void tell_count(void) {
  const char* path = setting("FAULT_COUNT");
  if (path[0] == 0) return;
  FILE* file = fopen(path, "w");
  if (file == NULL) return;
  fprintf(file, "%ld\n", count);
  fclose(file);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int clock_gettime(clockid_t clock, struct timespec* now) {
  const int result = REAL(clock_gettime)(clock, now);
  if (clock == CLOCK_MONOTONIC) now->tv_sec += 3600 * hours;
  return result;
}

void* aligned_alloc(size_t alignment, size_t size) {
  if (fault("aligned_alloc") == 0) return REAL(aligned_alloc)(alignment, size);
  errno = ENOMEM;
  return NULL;
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
  const int f = of_folder(descriptor) ? fault("write") : 0;
  if (f == 1) return -1;
  return REAL(write)(descriptor, bytes, f == 2 && size > 1 ? size / 2 : size);
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off64_t at) {
  const int f = of_folder(descriptor) ? fault("write") : 0;
  if (f == 1) return -1;
  return REAL(pwrite64)(descriptor, bytes, f == 2 && size > 1 ? size / 2 : size, at);
}

ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t at) {
  return pwrite64(descriptor, bytes, size, at);
}

ssize_t writev(int descriptor, const struct iovec* parts, int part_count) {
  const int f = of_folder(descriptor) ? fault("write") : 0;
  if (f == 1) return -1;
  if (f == 2 && part_count > 1) return REAL(writev)(descriptor, parts, 1);
  return REAL(writev)(descriptor, parts, part_count);
}

int fsync(int descriptor) { return of_folder(descriptor) && fault("fsync") ? -1 : REAL(fsync)(descriptor); }

int rename(const char* from, const char* to) {
  return below_folder(to) && fault("rename") ? -1 : REAL(rename)(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  if (below_folder(to) && (fault("rename") || fault("exchange"))) return -1;
  return REAL(renameat2)(from_folder, from, to_folder, to, flags);
}

int close(int descriptor) {
  const int fails = of_folder(descriptor) && fault("close"), error = errno;
  const int result = REAL(close)(descriptor);
  if (fails) errno = error;
  return fails ? -1 : result;
}

int fclose(FILE* file) {
  const int fails = of_folder(fileno(file)) && fault("close"), error = errno;
  const int result = REAL(fclose)(file);
  if (fails) errno = error;
  return fails ? EOF : result;
}

static int open_fails(const char* path, int flags) {
  return (flags & O_CREAT) != 0 && below_folder(path) && fault("open");
}

int open64(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
  va_end(list);
  return open_fails(path, flags) ? -1 : REAL(open64)(path, flags, mode);
}

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
  va_end(list);
  return open64(path, flags, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  return mode[0] != 'r' && below_folder(path) && fault("open") ? NULL : REAL(fopen64)(path, mode);
}

FILE* fopen(const char* path, const char* mode) { return fopen64(path, mode); }
