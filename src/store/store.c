/* SPDX-License-Identifier: Apache-2.0 */
/* What all back-ends share: the order of calls, and that a broken store takes nothing more. */
#include "store/store.h"

#include "base/error.h"

#include <assert.h>

fcps_status fcps_store_begin(fcps_store *store, bool writing, fcps_error *error)
{
  assert(!store->is_open);
  if (writing && store->is_broken)
    return fcps_error_set(error, FCPS_ERR_STORE, "",
                          "an earlier write failed, so nothing more is written; open the study again.");
  const fcps_status status = store->ops->begin(store, writing, error);
  store->is_open = status == FCPS_OK;
  store->is_writing = store->is_open && writing;
  return status;
}

fcps_status fcps_store_commit(fcps_store *store, fcps_error *error)
{
  assert(store->is_open);
  const fcps_status status = store->ops->commit(store, error);
  if (status != FCPS_OK) {
    fcps_store_rollback(store);
    return status;
  }
  store->is_open = store->is_writing = false;
  return FCPS_OK;
}

void fcps_store_rollback(fcps_store *store)
{
  if (!store->is_open) return;
  store->ops->rollback(store);
  store->is_open = store->is_writing = false;
}

fcps_status fcps_store_append(fcps_store *store, const fcps_journal_record *record, int64_t *sequence,
                              fcps_error *error)
{
  assert(store->is_writing);
  return store->ops->append(store, record, sequence, error);
}

fcps_status fcps_store_each(fcps_store *store, int64_t after, fcps_journal_fn *visit, void *user, fcps_error *error)
{
  assert(store->is_open);
  return store->ops->each(store, after, visit, user, error);
}

fcps_status fcps_store_set(fcps_store *store, const char *key, const char *text, fcps_error *error)
{
  assert(store->is_writing);
  return store->ops->set(store, key, text, error);
}

fcps_status fcps_store_get(fcps_store *store, const char *key, char **text, fcps_error *error)
{
  assert(store->is_open);
  *text = NULL;
  return store->ops->get(store, key, text, error);
}

fcps_status fcps_store_reserve(fcps_store *store, size_t bytes, fcps_error *error)
{
  return store->ops->reserve(store, bytes, error);
}

void fcps_store_close(fcps_store *store)
{
  if (store == NULL) return;
  fcps_store_rollback(store);
  store->ops->close(store);
}
