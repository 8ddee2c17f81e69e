/* SPDX-License-Identifier: Apache-2.0 */
/* A study file that is replaced while a handle has it open is noticed at the next call.
 *
 * By a file of another inode (mv, rm, or a copy that is renamed): the name no longer leads to the file that is open. By
 * other content in the same inode (cp): then the id of the study, or the last record that this handle has seen, is not
 * there any more. Every transaction looks for both. The pages that SQLite has in memory are dropped before: a copy that was
 * continued by as many commits has the same change counter, and SQLite would go on with its old pages. Before a commit
 * the head must be as it was when the transaction began: nobody else may write meanwhile.
 *
 * Invariants: once a study was found replaced its handle does nothing more, and nothing was written to the file that is
 * there now. If the old file has lost its last name, its content is saved beside.
 */
#include "base/error.h"
#include "base/memory.h"
#include "store/integrity.h"
#include "store/sqlite/sqlite_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- Words -- */

/* Says what was lost; `there` is the last record of the file that is there now, -1 if it is unknown. */
static void words_of_loss(const sqlite_store *s, int64_t there, size_t size, char *words)
{
  if (there < 0)
    snprintf(words, size, "The result that was being stored is in neither file");
  else if (s->base.seen.sequence == 0)
    snprintf(words, size, "It is another study");
  else if (there < s->base.seen.sequence)
    snprintf(words, size, "Records %lld to %lld, which were stored before, are not in it", (long long)there + 1,
             (long long)s->base.seen.sequence);
  else
    snprintf(words, size, "Its records are not those that were stored before, at the latest from record %lld on",
             (long long)s->base.seen.sequence);
}

static fcps_status refuse_replaced(const sqlite_store *s, fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_DAMAGED, "", "%s", s->replaced);
}

static fcps_status refuse_content(sqlite_store *s, int64_t there, fcps_error *error)
{
  char loss[120];
  words_of_loss(s, there, sizeof loss, loss);
  s->replaced = sqlite3_mprintf("%s was replaced by another file while it was in use. %s. Nothing was written to the "
                                "file that is there now. Put the old file back, or go on with the new one by repeating "
                                "the command, or by starting the server again.",
                                s->base.name, loss);
  return refuse_replaced(s, error);
}

/* -- The old file -- */

/* Saves a file that has no name any more under a new one; NULL if that is not possible. */
static char *rescue(const sqlite_store *s)
{
  struct stat info;
  if (fstat(s->open_file.file, &info) != 0 || info.st_nlink > 0) return NULL;
  char stamp[48], end[64], *saved = NULL;
  fcps_sqlite_stamp(sizeof stamp, stamp);
  snprintf(end, sizeof end, ".rescued-%s", stamp);
  char *path = fcps_sqlite_beside(s->path, end);
  if (path != NULL) fcps_open_files_rescue(&s->open_file, path, &saved);
  free(path);
  return saved;
}

static fcps_status refuse_place(sqlite_store *s, const char *what, fcps_error *error)
{
  char *saved = rescue(s);
  if (saved != NULL)
    s->replaced =
        sqlite3_mprintf("%s was %s while it was in use; nothing more is stored. The old file with all that was "
                        "stored in it (up to record %lld) was saved as %s: put it back, or continue it there, by "
                        "repeating the command, or by starting the server again.",
                        s->base.name, what, (long long)s->base.seen.sequence, saved);
  else
    s->replaced =
        sqlite3_mprintf("%s was %s while it was in use; nothing more is stored. Records up to %lld are in the "
                        "old file: find it and put it back, or go on with what is there by repeating the "
                        "command, or by starting the server again.",
                        s->base.name, what, (long long)s->base.seen.sequence);
  free(saved);
  return refuse_replaced(s, error);
}

/* -- The checks -- */

/* Refuses a file that was moved or replaced; `there` becomes what the name leads to. */
static fcps_status check_place(sqlite_store *s, struct stat *there, fcps_error *error)
{
  if (stat(s->path, there) != 0) {
    if (errno != ENOENT && errno != ENOTDIR)
      return fcps_error_set(error, FCPS_ERR_STORE, "", "%s cannot be reached: %s.", s->base.name, strerror(errno));
    return refuse_place(s, "removed or renamed", error);
  }
  if (there->st_dev != s->open_file.device || there->st_ino != s->open_file.inode)
    return refuse_place(s, "replaced by another file", error);
  return FCPS_OK;
}

fcps_status fcps_sqlite_refuse_links(const sqlite_store *s, fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_STORE, "",
                        "%s has several names (hard links), so nothing is stored: after a crash it could be mended "
                        "under one of them only. Keep one name and delete the others; a copy is made by: fcps study "
                        "backup %s FILE",
                        s->base.name, s->base.name);
}

fcps_status fcps_sqlite_check_before(sqlite_store *s, bool writing, fcps_error *error)
{
  if (s->replaced != NULL) return refuse_replaced(s, error);
  if (s->final_path != NULL) return FCPS_OK; /* nobody else knows of it */
  struct stat there;
  fcps_status status = check_place(s, &there, error);
  if (status == FCPS_OK && writing && s->has_links) status = fcps_sqlite_refuse_links(s, error);
  if (status != FCPS_OK) return status;
  sqlite3_db_release_memory(s->db);
  return fcps_sqlite_check_journal(s, error);
}

/* Reads the id that the file has now; NULL if it has none. */
static fcps_status read_id(sqlite_store *s, char **id, fcps_error *error)
{
  return s->base.ops->get(&s->base, FCPS_STORE_ID, id, error);
}

static bool is_same_text(const char *a, const char *b)
{
  return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Looks for the last record that was seen; if it is gone, for the last one that is there. */
static fcps_status look_up(sqlite_store *s, bool *is_there, int64_t *last, fcps_error *error)
{
  sqlite3_stmt *q = NULL;
  fcps_status status = FCPS_OK;
  *is_there = s->base.seen.sequence == 0;
  *last = 0;
  int code = sqlite3_prepare_v2(s->db, "SELECT * FROM journal WHERE sequence = ?", -1, &q, NULL);
  if (code == SQLITE_OK) code = sqlite3_bind_int64(q, 1, s->base.seen.sequence);
  if (code == SQLITE_OK) code = sqlite3_step(q);
  if (code == SQLITE_ROW) {
    fcps_journal_record record;
    status = fcps_sqlite_row(s, q, &record, error);
    if (status == FCPS_OK) *is_there = fcps_store_record_checksum(&record) == s->base.seen.checksum;
  } else if (code != SQLITE_DONE) {
    status = fcps_sqlite_error(s, code, error);
  }
  sqlite3_finalize(q);
  if (status != FCPS_OK || *is_there) return status;
  if (sqlite3_prepare_v2(s->db, "SELECT max(sequence) FROM journal", -1, &q, NULL) == SQLITE_OK &&
      sqlite3_step(q) == SQLITE_ROW)
    *last = sqlite3_column_int64(q, 0);
  sqlite3_finalize(q);
  return FCPS_OK;
}

/* Refuses a file that is not the study that was opened, with all that this handle has seen. */
static fcps_status check_content(sqlite_store *s, fcps_error *error)
{
  char *id = NULL;
  bool is_there = false;
  int64_t last = 0;
  fcps_status status = read_id(s, &id, error);
  if (status == FCPS_OK) status = look_up(s, &is_there, &last, error);
  /* the tables of a study are not there: the file is empty, or another database */
  if (status == FCPS_ERR_STORE && sqlite3_errcode(s->db) == SQLITE_ERROR) status = refuse_content(s, 0, error);
  if (status == FCPS_OK && (!is_there || !is_same_text(id, s->base.id))) status = refuse_content(s, last, error);
  free(id);
  return status;
}

fcps_status fcps_sqlite_check_after(sqlite_store *s, fcps_error *error)
{
  if (s->final_path != NULL) return FCPS_OK;
  const fcps_status status = check_content(s, error);
  /* from here to the commit nobody else may write */
  if (status == FCPS_OK && pread(s->open_file.file, s->begin_head, sizeof s->begin_head, 0) < 0)
    return fcps_error_set(error, FCPS_ERR_STORE, "", "%s cannot be read: %s.", s->base.name, strerror(errno));
  return status;
}

fcps_status fcps_sqlite_check_commit(sqlite_store *s, fcps_error *error)
{
  struct stat there;
  unsigned char head[FCPS_STUDY_FILE_HEAD] = {0};
  if (s->final_path != NULL || !s->base.is_writing) return FCPS_OK;
  const fcps_status status = check_place(s, &there, error);
  if (status != FCPS_OK) return status;
  const bool is_read = pread(s->open_file.file, head, sizeof head, 0) >= 0;
  return is_read && memcmp(head, s->begin_head, sizeof head) == 0 ? FCPS_OK : refuse_content(s, -1, error);
}

fcps_status fcps_sqlite_note_open(sqlite_store *s, fcps_error *error)
{
  struct stat info;
  if (fstat(s->open_file.file, &info) != 0)
    return fcps_error_set(error, FCPS_ERR_STORE, "", "%s cannot be read: %s.", s->base.name, strerror(errno));
  s->has_links = info.st_nlink > 1;
  free(s->base.id);
  s->base.id = NULL;
  return read_id(s, &s->base.id, error);
}
