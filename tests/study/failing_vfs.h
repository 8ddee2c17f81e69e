/* SPDX-License-Identifier: Apache-2.0 */
/* A file system under SQLite whose k-th call fails: with an I/O error, a full disk, half a write, or the end of the
 * process. Syncs are counted and not done, so that tests are quick. */
#ifndef FCPS_TESTS_FAILING_VFS_H
#define FCPS_TESTS_FAILING_VFS_H

#include <sqlite3.h>

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum fault {
  FAULT_NONE,
  FAULT_IO,          /* an I/O error, nothing written */
  FAULT_FULL,        /* no space */
  FAULT_SHORT,       /* half is written, then an I/O error */
  FAULT_SHORT_FULL,  /* half is written, then no space */
  FAULT_KILL_BEFORE, /* the process ends before the call, in its middle, after it */
  FAULT_KILL_HALF,
  FAULT_KILL_AFTER,
  FAULT_COUNT
} fault;

/* Which call fails; shared by all files. */
static struct failing {
  fault fault;
  long at;         /* number of the failing call, from 1 */
  bool is_lasting; /* all later ones fail too */
  bool only_syncs; /* only syncs count */
  long calls;
} failing;

typedef struct failing_file {
  sqlite3_file base;
  sqlite3_file *real;
} failing_file;

static sqlite3_vfs *real_vfs;

static bool is_hit(bool is_sync)
{
  if (failing.only_syncs && !is_sync) return false;
  failing.calls++;
  if (failing.fault == FAULT_NONE) return false;
  return failing.is_lasting ? failing.calls >= failing.at : failing.calls == failing.at;
}

static void die(void)
{
  kill(getpid(), SIGKILL);
}

static int error_of(int io_error)
{
  return failing.fault == FAULT_FULL || failing.fault == FAULT_SHORT_FULL ? SQLITE_FULL : io_error;
}

static sqlite3_file *real_of(sqlite3_file *file)
{
  return ((failing_file *)file)->real;
}

static int failing_close(sqlite3_file *file)
{
  sqlite3_file *real = real_of(file);
  const int code = real->pMethods != NULL ? real->pMethods->xClose(real) : SQLITE_OK;
  free(real);
  return code;
}

static int failing_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset)
{
  return real_of(file)->pMethods->xRead(real_of(file), bytes, count, offset);
}

static int failing_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset)
{
  sqlite3_file *real = real_of(file);
  if (!is_hit(false)) return real->pMethods->xWrite(real, bytes, count, offset);
  if (failing.fault == FAULT_KILL_BEFORE) die();
  if (failing.fault == FAULT_SHORT || failing.fault == FAULT_SHORT_FULL || failing.fault == FAULT_KILL_HALF)
    real->pMethods->xWrite(real, bytes, count / 2, offset);
  if (failing.fault == FAULT_KILL_HALF) die();
  if (failing.fault == FAULT_KILL_AFTER) {
    real->pMethods->xWrite(real, bytes, count, offset);
    die();
  }
  return error_of(SQLITE_IOERR_WRITE);
}

static int failing_truncate(sqlite3_file *file, sqlite3_int64 size)
{
  sqlite3_file *real = real_of(file);
  if (!is_hit(false)) return real->pMethods->xTruncate(real, size);
  if (failing.fault >= FAULT_KILL_BEFORE) die();
  return SQLITE_IOERR_TRUNCATE;
}

static int failing_sync(sqlite3_file *file, int flags)
{
  (void)file;
  (void)flags;
  if (!is_hit(true)) return SQLITE_OK;
  if (failing.fault >= FAULT_KILL_BEFORE) die();
  return error_of(SQLITE_IOERR_FSYNC);
}

static int failing_file_size(sqlite3_file *file, sqlite3_int64 *size)
{
  return real_of(file)->pMethods->xFileSize(real_of(file), size);
}

static int failing_lock(sqlite3_file *file, int level)
{
  return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int failing_unlock(sqlite3_file *file, int level)
{
  return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int failing_check_lock(sqlite3_file *file, int *is_reserved)
{
  return real_of(file)->pMethods->xCheckReservedLock(real_of(file), is_reserved);
}

static int failing_control(sqlite3_file *file, int what, void *argument)
{
  return real_of(file)->pMethods->xFileControl(real_of(file), what, argument);
}

static int failing_sector_size(sqlite3_file *file)
{
  return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int failing_characteristics(sqlite3_file *file)
{
  (void)file;
  return 0; /* no promise: SQLite must do all the work itself */
}

static int failing_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
  (void)vfs;
  static const sqlite3_io_methods methods = {.iVersion = 1,
                                             .xClose = failing_close,
                                             .xRead = failing_read,
                                             .xWrite = failing_write,
                                             .xTruncate = failing_truncate,
                                             .xSync = failing_sync,
                                             .xFileSize = failing_file_size,
                                             .xLock = failing_lock,
                                             .xUnlock = failing_unlock,
                                             .xCheckReservedLock = failing_check_lock,
                                             .xFileControl = failing_control,
                                             .xSectorSize = failing_sector_size,
                                             .xDeviceCharacteristics = failing_characteristics};
  failing_file *ours = (failing_file *)file;
  ours->base.pMethods = NULL;
  if ((flags & SQLITE_OPEN_MAIN_JOURNAL) && is_hit(false)) {
    if (failing.fault >= FAULT_KILL_BEFORE) die();
    return error_of(SQLITE_CANTOPEN);
  }
  ours->real = calloc(1, (size_t)real_vfs->szOsFile);
  if (ours->real == NULL) return SQLITE_NOMEM;
  const int code = real_vfs->xOpen(real_vfs, name, ours->real, flags, out_flags);
  if (code == SQLITE_OK)
    ours->base.pMethods = &methods;
  else
    free(ours->real);
  return code;
}

static int failing_delete(sqlite3_vfs *vfs, const char *name, int sync_folder)
{
  (void)vfs;
  (void)sync_folder;
  if (!is_hit(false)) return real_vfs->xDelete(real_vfs, name, 0);
  if (failing.fault == FAULT_KILL_AFTER) real_vfs->xDelete(real_vfs, name, 0);
  if (failing.fault >= FAULT_KILL_BEFORE) die();
  return SQLITE_IOERR_DELETE;
}

/* Makes it the file system of every store of this process. */
static inline void install_failing_vfs(void)
{
  static sqlite3_vfs vfs;
  if (real_vfs != NULL) return;
  real_vfs = sqlite3_vfs_find(NULL);
  vfs = *real_vfs;
  vfs.zName = "failing";
  vfs.szOsFile = (int)sizeof(failing_file);
  vfs.xOpen = failing_open;
  vfs.xDelete = failing_delete;
  sqlite3_vfs_register(&vfs, 1);
}

#endif
