/* SPDX-License-Identifier: Apache-2.0 */
/* A store as a new one of whatever kind: all records under their numbers, and all texts. One state is read, in one
 * transaction, and written in one: whoever looks sees no copy or a whole one. Unlike a backup it knows nothing of files,
 * so it goes between a file and a database. */
#include "base/error.h"
#include "store/store.h"

static fcps_status copy_text(void *user, const char *key, const char *text, fcps_error *error)
{
  return fcps_store_set(user, key, text, error);
}

typedef struct copying {
  fcps_store *to;
  int64_t count;
} copying;

static fcps_status copy_record(void *user, const fcps_journal_record *record, fcps_error *error)
{
  copying *c = user;
  c->count++;
  return fcps_store_insert(c->to, record, error);
}

fcps_status fcps_store_copy(const char *text, const char *to_text, fcps_store_options options, int64_t *records,
                            fcps_error *error)
{
  *records = 0;
  fcps_store *from = NULL, *to = NULL;
  fcps_store_url url;
  fcps_status status = fcps_store_read_url(&url, to_text, error);
  if (status != FCPS_OK) return status;
  if (!url.ops->is_shared)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "", "nothing can be copied to %s: this kind of store %s.",
                          url.name, url.ops->about);
  status = fcps_store_open(&from, text, options, error);
  if (status == FCPS_OK) status = fcps_store_create(&to, to_text, options, error);
  if (status == FCPS_OK) status = fcps_store_begin(from, false, error);
  copying copied = {to, 0};
  if (status == FCPS_OK) status = fcps_store_each_text(from, copy_text, to, error);
  if (status == FCPS_OK) status = fcps_store_each(from, 0, copy_record, &copied, error);
  if (status == FCPS_OK) status = fcps_store_commit(to, error);
  fcps_store_close(to);
  fcps_store_close(from);
  *records = status == FCPS_OK ? copied.count : 0;
  return status;
}
