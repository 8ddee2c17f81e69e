/* SPDX-License-Identifier: Apache-2.0 */
/* The power is cut after each write, truncation, deletion and sync of a session. Data that were not synced are lost,
 * kept, or half garbled; then the folder is opened again. No result that was acknowledged before the cut may be
 * missing, and no garbage may be accepted. FCPS_TEST_LONG=1: a longer session. */
#include "study_fixture.h"

#include <sqlite3.h>

/* The operations on the two files, in order. */
typedef enum operation { OPERATION_WRITE, OPERATION_TRUNCATE, OPERATION_DELETE, OPERATION_SYNC } operation;

typedef struct traced {
  operation what;
  int file; /* 0: the study, 1: its journal */
  long offset, length;
  unsigned char *bytes;
  int acknowledged; /* results acknowledged before this */
} traced;

static traced *trace;
static size_t trace_count, trace_capacity;
static int acknowledged_now;
static bool is_tracing;

static void note(operation what, int file, long offset, long length, const void *bytes)
{
  if (!is_tracing) return;
  if (trace_count == trace_capacity) {
    trace_capacity = trace_capacity ? 2 * trace_capacity : 256;
    trace = realloc(trace, trace_capacity * sizeof *trace);
    assert_non_null(trace);
  }
  unsigned char *copy = bytes != NULL ? malloc((size_t)length) : NULL;
  if (copy != NULL) memcpy(copy, bytes, (size_t)length);
  trace[trace_count++] = (traced){what, file, offset, length, copy, acknowledged_now};
}

/* -- A file system that takes notes -- */

typedef struct noting_file {
  sqlite3_file base;
  sqlite3_file *real;
  int which;
} noting_file;

static sqlite3_vfs *real_vfs;
static sqlite3_io_methods noting_methods;

static sqlite3_file *real_of(sqlite3_file *file)
{
  return ((noting_file *)file)->real;
}

static int noting_close(sqlite3_file *file)
{
  const int code = real_of(file)->pMethods->xClose(real_of(file));
  free(real_of(file));
  return code;
}

static int noting_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset)
{
  return real_of(file)->pMethods->xRead(real_of(file), bytes, count, offset);
}

static int noting_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset)
{
  note(OPERATION_WRITE, ((noting_file *)file)->which, (long)offset, count, bytes);
  return real_of(file)->pMethods->xWrite(real_of(file), bytes, count, offset);
}

static int noting_truncate(sqlite3_file *file, sqlite3_int64 size)
{
  note(OPERATION_TRUNCATE, ((noting_file *)file)->which, (long)size, 0, NULL);
  return real_of(file)->pMethods->xTruncate(real_of(file), size);
}

static int noting_sync(sqlite3_file *file, int flags)
{
  (void)flags;
  note(OPERATION_SYNC, ((noting_file *)file)->which, 0, 0, NULL);
  return SQLITE_OK;
}

static int noting_size(sqlite3_file *file, sqlite3_int64 *size)
{
  return real_of(file)->pMethods->xFileSize(real_of(file), size);
}

static int noting_lock(sqlite3_file *file, int level)
{
  return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int noting_unlock(sqlite3_file *file, int level)
{
  return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int noting_check(sqlite3_file *file, int *is_reserved)
{
  return real_of(file)->pMethods->xCheckReservedLock(real_of(file), is_reserved);
}

static int noting_control(sqlite3_file *file, int what, void *argument)
{
  return real_of(file)->pMethods->xFileControl(real_of(file), what, argument);
}

static int noting_sector(sqlite3_file *file)
{
  (void)file;
  return 512;
}

static int noting_characteristics(sqlite3_file *file)
{
  (void)file;
  return 0;
}

static int noting_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
  (void)vfs;
  noting_file *ours = (noting_file *)file;
  *ours =
      (noting_file){.real = calloc(1, (size_t)real_vfs->szOsFile), .which = (flags & SQLITE_OPEN_MAIN_JOURNAL) != 0};
  if (ours->real == NULL) return SQLITE_NOMEM;
  const int code = real_vfs->xOpen(real_vfs, name, ours->real, flags, out_flags);
  if (code == SQLITE_OK)
    ours->base.pMethods = &noting_methods;
  else
    free(ours->real);
  return code;
}

static int noting_delete(sqlite3_vfs *vfs, const char *name, int sync_folder)
{
  (void)vfs;
  note(OPERATION_DELETE, 1, 0, sync_folder, NULL);
  return real_vfs->xDelete(real_vfs, name, 0);
}

static void install_noting_vfs(void)
{
  static sqlite3_vfs vfs;
  if (real_vfs != NULL) return;
  real_vfs = sqlite3_vfs_find(NULL);
  vfs = *real_vfs;
  vfs.zName = "noting";
  vfs.szOsFile = (int)sizeof(noting_file);
  vfs.xOpen = noting_open;
  vfs.xDelete = noting_delete;
  noting_methods = (sqlite3_io_methods){.iVersion = 1,
                                        .xClose = noting_close,
                                        .xRead = noting_read,
                                        .xWrite = noting_write,
                                        .xTruncate = noting_truncate,
                                        .xSync = noting_sync,
                                        .xFileSize = noting_size,
                                        .xLock = noting_lock,
                                        .xUnlock = noting_unlock,
                                        .xCheckReservedLock = noting_check,
                                        .xFileControl = noting_control,
                                        .xSectorSize = noting_sector,
                                        .xDeviceCharacteristics = noting_characteristics};
  sqlite3_vfs_register(&vfs, 1);
}

/* -- The folder after the cut -- */

enum { MOST_BYTES = 1 << 20 };

typedef struct image {
  unsigned char *bytes;
  long size; /* -1: there is no such file */
} image;

static void apply(image *files, const traced *t, bool is_garbled)
{
  image *file = &files[t->file];
  if (t->what == OPERATION_DELETE) file->size = -1;
  if (t->what == OPERATION_TRUNCATE && file->size > t->offset) file->size = t->offset;
  if (t->what != OPERATION_WRITE) return;
  assert_true(t->offset + t->length <= MOST_BYTES);
  if (file->size < 0) file->size = 0;
  if (file->size < t->offset) memset(file->bytes + file->size, 0, (size_t)(t->offset - file->size));
  memcpy(file->bytes + t->offset, t->bytes, (size_t)t->length);
  /* the second half of a torn write has random bytes */
  if (is_garbled) memset(file->bytes + t->offset + t->length / 2, 0xA5, (size_t)(t->length - t->length / 2));
  if (file->size < t->offset + t->length) file->size = t->offset + t->length;
}

/* whether operation i of file f was made safe by a sync (or a synced deletion) before `cut` */
static bool is_safe(size_t i, size_t cut)
{
  if (trace[i].what == OPERATION_DELETE) return trace[i].length != 0;
  for (size_t j = i + 1; j < cut; j++) {
    const bool covers = trace[j].what == OPERATION_SYNC || (trace[j].what == OPERATION_DELETE && trace[j].length != 0);
    if (trace[j].file == trace[i].file && covers) return true;
  }
  return false;
}

typedef enum loss { LOSS_ALL, LOSS_NONE, LOSS_ODD, LOSS_GARBLED, LOSS_COUNT } loss;

static void write_image(const image *file, const char *suffix)
{
  char path[160];
  snprintf(path, sizeof path, "%s%s", test_path, suffix);
  unlink(path);
  if (file->size < 0) return;
  FILE *stream = fopen(path, "wb");
  assert_non_null(stream);
  assert_int_equal(fwrite(file->bytes, 1, (size_t)file->size, stream), file->size);
  fclose(stream);
}

static double land_of(int64_t id)
{
  return (double)id * 1.25;
}

static void expect_acknowledged(int acknowledged, size_t cut, loss how)
{
  fcps_study *s = NULL;
  fcps_error error = {0};
  if (fcps_study_open(&s, test_path, NULL, &error) != FCPS_OK)
    fail_msg("cut %zu, loss %d: %s", cut, how, error.message);
  if (fcps_study_result_count(s) < acknowledged)
    fail_msg("cut %zu, loss %d: %d of %d results", cut, how, fcps_study_result_count(s), acknowledged);
  for (int i = 0; i < fcps_study_result_count(s); i++) {
    fcps_stored_result stored;
    fcps_study_result_at(s, i, &stored);
    assert_int_equal(stored.ask, i + 1);
    if (stored.result.rollout.outcome[0] != land_of(stored.ask))
      fail_msg("cut %zu, loss %d: a changed result", cut, how);
  }
  fcps_study_close(s);
}

static void nothing_acknowledged_is_lost_when_the_power_is_cut(void **state)
{
  (void)state;
  const int trials = getenv("FCPS_TEST_LONG") != NULL ? 40 : 5;
  install_noting_vfs();
  image start[2] = {{malloc(MOST_BYTES), -1}, {malloc(MOST_BYTES), -1}},
        now[2] = {{malloc(MOST_BYTES), -1}, {malloc(MOST_BYTES), -1}};
  fcps_study_close(make_study(test_path, throw_yaml, NULL));
  FILE *stream = fopen(test_path, "rb");
  assert_non_null(stream);
  start[0].size = (long)fread(start[0].bytes, 1, MOST_BYTES, stream);
  fclose(stream);

  /* a session, with notes */
  fcps_study *s = open_study(test_path);
  is_tracing = true;
  for (int i = 0; i < trials; i++) {
    const double target = 1, wind = 0;
    fcps_ask ask;
    assert_ok(fcps_study_ask(s, NULL, &target, &wind, &ask, NULL));
    const double land = land_of(ask.id);
    const fcps_result result = {.rollout.outcome = &land};
    assert_ok(fcps_study_tell(s, ask.id, &result, NULL, NULL));
    acknowledged_now++;
  }
  is_tracing = false;
  fcps_study_close(s);

  int folders = 0;
  for (size_t cut = 0; cut <= trace_count; cut++)
    for (loss how = 0; how < LOSS_COUNT; how++, folders++) {
      for (int f = 0; f < 2; f++) {
        now[f].size = start[f].size;
        if (start[f].size > 0) memcpy(now[f].bytes, start[f].bytes, (size_t)start[f].size);
      }
      for (size_t i = 0; i < cut; i++) {
        const bool safe = is_safe(i, cut);
        if (safe || how == LOSS_NONE || how == LOSS_GARBLED || (how == LOSS_ODD && i % 2))
          apply(now, &trace[i], !safe && how == LOSS_GARBLED);
      }
      write_image(&now[0], "");
      write_image(&now[1], "-journal");
      expect_acknowledged(cut < trace_count ? trace[cut].acknowledged : acknowledged_now, cut, how);
    }
  printf("# %zu operations of %d trials; %d folders after a cut, each with all that was acknowledged\n", trace_count,
         trials, folders);
  for (size_t i = 0; i < trace_count; i++)
    free(trace[i].bytes);
  free(trace);
  for (int f = 0; f < 2; f++) {
    free(start[f].bytes);
    free(now[f].bytes);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(nothing_acknowledged_is_lost_when_the_power_is_cut, make_folder, remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
