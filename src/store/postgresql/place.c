/* SPDX-License-Identifier: Apache-2.0 */
/* Studies in PostgreSQL by their names: making, opening, looking for and removing them; and where files are that belong to
 * one but lie on this machine. */
#include "base/error.h"
#include "base/memory.h"
#include "store/lost_records.h"
#include "store/postgresql/postgresql_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

fcps_status fcps_postgresql_allocate(postgresql_store **store, const fcps_store_url *url, fcps_store_options options,
                                     fcps_error *error)
{
  postgresql_store *s = *store = fcps_allocate(1, sizeof *s);
  if (s == NULL) return fcps_error_memory(error);
  const fcps_status status = fcps_store_prepare(&s->base, url, error);
  s->options = options;
  s->database = fcps_postgresql_database(url);
  s->study_name = fcps_copy_text(fcps_postgresql_study_name(url));
  return status == FCPS_OK && (s->database == NULL || s->study_name == NULL) ? fcps_error_memory(error) : status;
}

fcps_status fcps_postgresql_find(postgresql_connection *c, const char *study_name, int64_t *study, fcps_error *error)
{
  postgresql_rows *rows = NULL;
  const postgresql_value name = {.type = POSTGRESQL_BYTES, .bytes = study_name, .size = strlen(study_name)};
  *study = 0;
  const fcps_status status =
      fcps_postgresql_query(c, "SELECT study FROM fcps.studies WHERE name = $1", 1, &name, &rows, error);
  if (status == FCPS_OK && fcps_postgresql_row_count(rows) > 0) *study = fcps_postgresql_integer(rows, 0, 0);
  fcps_postgresql_free_rows(rows);
  return status;
}

/* -- Making and opening -- */

fcps_status fcps_postgresql_create(fcps_store **store, const fcps_store_url *url, fcps_store_options options,
                                   fcps_error *error)
{
  postgresql_store *s = NULL;
  fcps_status status = fcps_postgresql_allocate(&s, url, options, error);
  if (status == FCPS_OK) status = fcps_postgresql_connect(&s->connection, s->database, s->base.name, error);
  if (status == FCPS_OK) {
    s->is_making = true;
    status = fcps_store_begin(&s->base, true, error);
  }
  if (status != FCPS_OK) {
    fcps_store_close(s != NULL ? &s->base : NULL);
    return status;
  }
  *store = &s->base;
  return FCPS_OK;
}

static fcps_status refuse_missing(const postgresql_store *s, fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_STORE, "", "%s does not exist: the database has no study of this name.",
                        s->base.name);
}

/* the texts that this handle must know, after a check of the whole: its id, and what a repair had lost */
static fcps_status read_own_texts(postgresql_store *s, fcps_error *error)
{
  fcps_status status = fcps_store_begin(&s->base, false, error);
  if (status != FCPS_OK) return status;
  status = fcps_store_get(&s->base, FCPS_STORE_ID, &s->id, error);
  if (status == FCPS_OK) status = fcps_store_get(&s->base, FCPS_LOST_KEY, &s->lost, error);
  fcps_store_rollback(&s->base);
  return status;
}

fcps_status fcps_postgresql_open(fcps_store **store, const fcps_store_url *url, fcps_store_options options,
                                 fcps_error *error)
{
  postgresql_store *s = NULL;
  bool are_there = false;
  fcps_status status = fcps_postgresql_allocate(&s, url, options, error);
  if (status == FCPS_OK) status = fcps_postgresql_connect(&s->connection, s->database, s->base.name, error);
  if (status == FCPS_OK) status = fcps_postgresql_check_tables(s->connection, url->name, &are_there, error);
  if (status == FCPS_OK && are_there) status = fcps_postgresql_find(s->connection, s->study_name, &s->study, error);
  if (status == FCPS_OK && s->study == 0) status = refuse_missing(s, error);
  if (status == FCPS_OK) status = fcps_postgresql_note_open(s, false, error);
  if (status == FCPS_OK) status = read_own_texts(s, error);
  if (status != FCPS_OK) {
    fcps_store_close(s != NULL ? &s->base : NULL);
    return status;
  }
  *store = &s->base;
  return FCPS_OK;
}

/* -- Looking -- */

/* a connection and the number of the study; 0: none is there */
static fcps_status look(postgresql_store **store, const fcps_store_url *url, fcps_error *error)
{
  bool are_there = false;
  fcps_status status = fcps_postgresql_allocate(store, url, (fcps_store_options){.wait_ms = 1000}, error);
  postgresql_store *s = *store;
  if (status == FCPS_OK) status = fcps_postgresql_connect(&s->connection, s->database, s->base.name, error);
  if (status == FCPS_OK) status = fcps_postgresql_check_tables(s->connection, url->name, &are_there, error);
  if (status == FCPS_OK && are_there) status = fcps_postgresql_find(s->connection, s->study_name, &s->study, error);
  return status;
}

fcps_status fcps_postgresql_exists(bool *exists, const fcps_store_url *url, fcps_error *error)
{
  postgresql_store *s = NULL;
  const fcps_status status = look(&s, url, error);
  *exists = status == FCPS_OK && s->study > 0;
  fcps_store_close(s != NULL ? &s->base : NULL);
  return status;
}

/* the tables are ours, so what is in them is a study */
fcps_status fcps_postgresql_recognize(const fcps_store_url *url, fcps_error *error)
{
  bool exists;
  return fcps_postgresql_exists(&exists, url, error);
}

/* -- Removing -- */

/* results that wait on this machine belong to the study */
static void remove_kept(const postgresql_store *s)
{
  for (int number = 1; number <= FCPS_STORE_KEPT_COUNT; number++) {
    char end[32];
    snprintf(end, sizeof end, FCPS_STORE_KEPT_END, number);
    char *path = fcps_postgresql_beside(&s->base, end);
    if (path != NULL) unlink(path);
    free(path);
  }
}

fcps_status fcps_postgresql_remove(const fcps_store_url *url, fcps_error *error)
{
  postgresql_store *s = NULL;
  fcps_status status = look(&s, url, error);
  const bool is_there = status == FCPS_OK && s->study > 0;
  if (is_there) status = fcps_postgresql_hold(&s->base, error);
  if (is_there && status == FCPS_OK) status = fcps_postgresql_note_open(s, true, error);
  if (is_there && status == FCPS_OK)
    status = read_own_texts(s, NULL) == FCPS_ERR_MEMORY ? fcps_error_memory(error) : FCPS_OK;
  if (is_there && status == FCPS_OK) {
    const postgresql_value study = {.type = POSTGRESQL_INTEGER, .integer = s->study};
    status = fcps_postgresql_query(s->connection, "DELETE FROM fcps.studies WHERE study = $1", 1, &study, NULL, error);
  }
  if (is_there && status == FCPS_OK && s->id != NULL) remove_kept(s);
  fcps_store_close(s != NULL ? &s->base : NULL);
  return status;
}

/* -- Files of a study on this machine -- */

char *fcps_postgresql_beside(const fcps_store *store, const char *end)
{
  const postgresql_store *s = (const postgresql_store *)store;
  return fcps_store_state_path(s->id != NULL ? s->id : "study", end);
}
