/* SPDX-License-Identifier: Apache-2.0 */
/* Studies in PostgreSQL by their names: making, opening, looking for and removing them, who has one open or holds it, and
 * where files are that belong to one but lie on this machine. */
#include "base/error.h"
#include "base/memory.h"
#include "store/postgresql/postgresql_impl.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- Tables -- */

/* The tables in PostgreSQL, their version, and how they are made.
 *
 * The columns of `journal` are those of a record (store.h) with its checksum. Rows of numbers are bytes, little-endian, 8
 * each; a reward that is NaN is NULL. A study that is removed takes its rows with it.
 *
 * Invariants: tables of a newer version are refused untouched; to go from one version to the next is one step of `steps`,
 * and all missing steps are one transaction, so a kill leaves the old version or the new one. */

static const char *const steps[] = {
    /* 0 to 1 */
    "CREATE TABLE fcps.format (version bigint NOT NULL);"
    "INSERT INTO fcps.format VALUES (1);"
    "CREATE TABLE fcps.studies (study bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name bytea NOT NULL UNIQUE,"
    " holder bytea NOT NULL DEFAULT '');"
    "CREATE TABLE fcps.journal (study bigint NOT NULL REFERENCES fcps.studies ON DELETE CASCADE, sequence bigint NOT "
    "NULL,"
    " kind bigint NOT NULL, ask bigint NOT NULL, other bigint NOT NULL, time_ms bigint NOT NULL, status bigint NOT "
    "NULL,"
    " reward double precision, hindsight_reward double precision, target bytea, environment bytea, parameters bytea,"
    " outcome bytea, client bytea NOT NULL, text bytea NOT NULL, checksum bigint NOT NULL,"
    " PRIMARY KEY (study, sequence));"
    "CREATE TABLE fcps.texts (study bigint NOT NULL REFERENCES fcps.studies ON DELETE CASCADE, key bytea NOT NULL,"
    " text bytea NOT NULL, checksum bigint NOT NULL, PRIMARY KEY (study, key));",
};
enum { VERSION = sizeof steps / sizeof *steps };

/* The lock for which makers of tables wait: that of "fcps", with the number of no study. */
static const char lock_tables[] = "SELECT pg_advisory_xact_lock(1717792883, 0)";

fcps_status fcps_postgresql_check_version(const char *name, int64_t version, fcps_error *error)
{
  if (version <= VERSION) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_FORMAT, "",
                        "%s was made by a newer fcps (tables %lld, this one knows %d). Nothing was changed; use the "
                        "newer fcps.",
                        name, (long long)version, VERSION);
}

/* Reads the version of the tables. It is 0 if there are no tables. */
static fcps_status read_version(postgresql_connection *c, int64_t *version, fcps_error *error)
{
  int64_t is_there = 0;
  *version = 0;
  fcps_status status =
      fcps_postgresql_ask_integer(c, "SELECT (to_regclass('fcps.format') IS NOT NULL)::int::int8", &is_there, error);
  if (status == FCPS_OK && is_there == 1)
    status = fcps_postgresql_ask_integer(c, "SELECT version FROM fcps.format", version, error);
  return status;
}

static fcps_status check_tables(postgresql_connection *c, const char *name, bool *are_there, fcps_error *error)
{
  int64_t version = 0;
  *are_there = false;
  fcps_status status = read_version(c, &version, error);
  if (status == FCPS_OK) status = fcps_postgresql_check_version(name, version, error);
  *are_there = status == FCPS_OK && version > 0;
  return status;
}

fcps_status fcps_postgresql_make_tables(postgresql_store *s, fcps_error *error)
{
  int64_t version = 0, has_schema = 0;
  fcps_status status = read_version(s->connection, &version, error);
  if (status != FCPS_OK || version >= VERSION)
    return status != FCPS_OK ? status : fcps_postgresql_check_version(s->base.name, version, error);
  status = fcps_postgresql_run(s->connection, lock_tables, NULL, error);
  /* Another process may have made the tables meanwhile. */
  if (status == FCPS_OK) status = read_version(s->connection, &version, error);
  if (status == FCPS_OK)
    status = fcps_postgresql_ask_integer(s->connection, "SELECT (to_regnamespace('fcps') IS NOT NULL)::int::int8",
                                         &has_schema, error);
  if (status == FCPS_OK && has_schema == 0)
    status = fcps_postgresql_run(s->connection, "CREATE SCHEMA fcps", NULL, error);
  for (int64_t step = version; status == FCPS_OK && step < VERSION; step++)
    status = fcps_postgresql_run(s->connection, steps[step], NULL, error);
  return status;
}

/* -- Studies -- */

/* Makes the store of a URL without a connection. If *store is not NULL, it must be closed, even after a failure. */
static fcps_status allocate(postgresql_store **store, const fcps_store_url *url, fcps_store_options options,
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

/* Finds the number of the study. It is 0 if there is no such study. */
static fcps_status find(postgresql_connection *c, const char *study_name, int64_t *study, fcps_error *error)
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
  fcps_status status = allocate(&s, url, options, error);
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

/* Reads the texts that this handle needs from the beginning, after the tables were checked: the id, and the list of
 * lost records. */
static fcps_status read_own_texts(postgresql_store *s, fcps_error *error)
{
  fcps_status status = fcps_store_begin(&s->base, false, error);
  if (status != FCPS_OK) return status;
  status = fcps_store_get(&s->base, FCPS_STORE_ID, &s->base.id, error);
  if (status == FCPS_OK) status = fcps_store_get(&s->base, FCPS_LOST_KEY, &s->lost, error);
  fcps_store_rollback(&s->base);
  return status;
}

fcps_status fcps_postgresql_open(fcps_store **store, const fcps_store_url *url, fcps_store_options options,
                                 fcps_error *error)
{
  postgresql_store *s = NULL;
  bool are_there = false;
  fcps_status status = allocate(&s, url, options, error);
  if (status == FCPS_OK) status = fcps_postgresql_connect(&s->connection, s->database, s->base.name, error);
  if (status == FCPS_OK) status = check_tables(s->connection, url->name, &are_there, error);
  if (status == FCPS_OK && are_there) status = find(s->connection, s->study_name, &s->study, error);
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

/* Connects, and finds the number of the study. It is 0 if there is no such study. */
static fcps_status look(postgresql_store **store, const fcps_store_url *url, fcps_error *error)
{
  bool are_there = false;
  fcps_status status = allocate(store, url, (fcps_store_options){.wait_ms = 1000}, error);
  postgresql_store *s = *store;
  if (status == FCPS_OK) status = fcps_postgresql_connect(&s->connection, s->database, s->base.name, error);
  if (status == FCPS_OK) status = check_tables(s->connection, url->name, &are_there, error);
  if (status == FCPS_OK && are_there) status = find(s->connection, s->study_name, &s->study, error);
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

/* Recognizes everything that has this name: the tables belong to fcps, so each of their rows is a study. */
fcps_status fcps_postgresql_recognize(const fcps_store_url *url, fcps_error *error)
{
  bool exists;
  return fcps_postgresql_exists(&exists, url, error);
}

/* -- Removing -- */

/* Removes the results that are kept for the study on this machine, because they belong to the study. */
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
  if (is_there && status == FCPS_OK && s->base.id != NULL) remove_kept(s);
  fcps_store_close(s != NULL ? &s->base : NULL);
  return status;
}

/* -- Files of a study on this machine -- */

char *fcps_postgresql_beside(const fcps_store *store, const char *end)
{
  const postgresql_store *s = (const postgresql_store *)store;
  return fcps_store_state_path(s->base.id != NULL ? s->base.id : "study", end);
}

/* -- Who has a study open, and who holds it --
 *
 * The processes that have a study in PostgreSQL open, and the one that holds it: advisory locks of the session,
 * which end with the connection, however that ends.
 *
 * Each handle has a shared lock of "open"; a process that removes a study takes it alone. The hold is a lock of
 * its own; its holder writes words into the study's row, and they count only while the lock is taken. After a
 * connection was lost both are taken again: a hold that somebody else has taken meanwhile is gone, and each call
 * says so until it is back. Both are given back when a study is closed, because the server ends a session in its
 * own time: what was closed could still look open. */

fcps_status fcps_postgresql_note_open(postgresql_store *s, bool is_whole, fcps_error *error)
{
  char sql[120];
  int64_t is_taken = 0;
  snprintf(sql, sizeof sql, "SELECT pg_try_advisory_lock%s(1717792885, %lld)::int::int8", is_whole ? "" : "_shared",
           (long long)s->study);
  const fcps_status status = fcps_postgresql_ask_integer(s->connection, sql, &is_taken, error);
  if (status != FCPS_OK || is_taken == 1) return status;
  return fcps_error_set(error, FCPS_ERR_LOCKED, "", "%s is %s by another process or handle. Nothing was changed.",
                        s->base.name, is_whole ? "open" : "being removed");
}

void fcps_postgresql_let_go(postgresql_store *s)
{
  if (s->study == 0 || fcps_postgresql_is_lost(s->connection)) return;
  fcps_postgresql_run(s->connection, "SELECT pg_advisory_unlock_all()", NULL, NULL);
}

static fcps_status name_holder(postgresql_store *s, fcps_error *error)
{
  postgresql_rows *rows = NULL;
  const postgresql_value study = {.type = POSTGRESQL_INTEGER, .integer = s->study};
  const fcps_status status =
      fcps_postgresql_query(s->connection, "SELECT holder FROM fcps.studies WHERE study = $1", 1, &study, &rows, error);
  if (status != FCPS_OK) return status;
  const bool is_known = fcps_postgresql_row_count(rows) > 0;
  fcps_error_set(error, FCPS_ERR_LOCKED, "", "%s is in use by %.250s. Wait until it has ended, or end it.",
                 s->base.name, is_known ? fcps_postgresql_bytes(rows, 0, 0, NULL) : "another process");
  fcps_postgresql_free_rows(rows);
  return FCPS_ERR_LOCKED;
}

static fcps_status write_holder(postgresql_store *s, const char *sql, const char *words, fcps_error *error)
{
  const postgresql_value values[] = {{.type = POSTGRESQL_INTEGER, .integer = s->study},
                                     {.type = POSTGRESQL_BYTES, .bytes = words, .size = strlen(words)}};
  return fcps_postgresql_query(s->connection, sql, 2, values, NULL, error);
}

fcps_status fcps_postgresql_hold(fcps_store *store, fcps_error *error)
{
  postgresql_store *s = (postgresql_store *)store;
  fcps_status status = fcps_postgresql_reconnect(s, error);
  if (status != FCPS_OK || s->is_held) return status;
  char sql[120], host[100] = "", words[160];
  int64_t is_taken = 0;
  snprintf(sql, sizeof sql, "SELECT pg_try_advisory_lock(1717792884, %lld)::int::int8", (long long)s->study);
  status = fcps_postgresql_ask_integer(s->connection, sql, &is_taken, error);
  if (status != FCPS_OK) return status;
  if (is_taken != 1) return name_holder(s, error);
  s->is_held = true;
  gethostname(host, sizeof host - 1);
  snprintf(words, sizeof words, "process %ld on %s", (long)getpid(), host);
  return write_holder(s, "UPDATE fcps.studies SET holder = $2 WHERE study = $1", words, error);
}

bool fcps_postgresql_is_held(fcps_store *store, fcps_error *who)
{
  postgresql_store *s = (postgresql_store *)store;
  char sql[300];
  int64_t holders = 0;
  if (fcps_postgresql_reconnect(s, NULL) != FCPS_OK || s->is_held) return false;
  snprintf(
      sql, sizeof sql,
      "SELECT count(*)::int8 FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = 1717792884 AND objid "
      "= %lld AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
      (long long)s->study);
  return fcps_postgresql_ask_integer(s->connection, sql, &holders, NULL) == FCPS_OK && holders > 0 &&
         name_holder(s, who) == FCPS_ERR_LOCKED;
}
