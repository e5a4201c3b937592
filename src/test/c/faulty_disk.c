/*
 * Makes a disk look broken to one process: as long as the file $FAULTY_DISK_TRIGGER exists, writing and syncing of files below
 * $FAULTY_DISK fails with EIO; as long as $FAULTY_DISK_KEEP exists, deleting those of RocksDB does. Built and preloaded by
 * FaultyDiskIT and UndeletableFilesIT:  gcc -shared -fPIC -o faulty_disk.so faulty_disk.c -ldl
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int is_faulty(int fd) {
  const char *disk = getenv("FAULTY_DISK");
  const char *trigger = getenv("FAULTY_DISK_TRIGGER");
  if (disk == NULL || trigger == NULL || access(trigger, F_OK) != 0) {
    return 0;
  }
  char link[64];
  char path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) {
    return 0;
  }
  path[length] = 0;
  return strncmp(path, disk, strlen(disk)) == 0;
}

#define WRITER(name, parameters, arguments)                        \
  ssize_t name parameters {                                        \
    static ssize_t(*real) parameters;                              \
    if (real == NULL) {                                            \
      real = (ssize_t(*) parameters)dlsym(RTLD_NEXT, #name);       \
    }                                                              \
    if (is_faulty(fd)) {                                           \
      errno = EIO;                                                 \
      return -1;                                                   \
    }                                                              \
    return real arguments;                                         \
  }

#define SYNCER(name)                                               \
  int name(int fd) {                                               \
    static int (*real)(int);                                       \
    if (real == NULL) {                                            \
      real = (int (*)(int))dlsym(RTLD_NEXT, #name);                \
    }                                                              \
    if (is_faulty(fd)) {                                           \
      errno = EIO;                                                 \
      return -1;                                                   \
    }                                                              \
    return real(fd);                                               \
  }

static int is_kept(const char *path) {
  const char *disk = getenv("FAULTY_DISK");
  const char *trigger = getenv("FAULTY_DISK_KEEP");
  return disk != NULL && trigger != NULL && access(trigger, F_OK) == 0 &&
         strncmp(path, disk, strlen(disk)) == 0 && strstr(path, "/rocksdb/") != NULL;
}

#define DELETER(name)                                              \
  int name(const char *path) {                                     \
    static int (*real)(const char *);                              \
    if (real == NULL) {                                            \
      real = (int (*)(const char *))dlsym(RTLD_NEXT, #name);       \
    }                                                              \
    if (is_kept(path)) {                                           \
      errno = EIO;                                                 \
      return -1;                                                   \
    }                                                              \
    return real(path);                                             \
  }

WRITER(write, (int fd, const void *bytes, size_t count), (fd, bytes, count))
WRITER(pwrite, (int fd, const void *bytes, size_t count, off_t at), (fd, bytes, count, at))
WRITER(pwrite64, (int fd, const void *bytes, size_t count, off64_t at), (fd, bytes, count, at))
SYNCER(fsync)
SYNCER(fdatasync)
DELETER(unlink)
DELETER(rmdir)
