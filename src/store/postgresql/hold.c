/* SPDX-License-Identifier: Apache-2.0 */
/* The processes that have a study in PostgreSQL open, and the one that holds it: advisory locks of the session,
 * which end with the connection, however that ends.
 *
 * Each handle has a shared lock of "open"; a process that removes a study takes it alone. The hold is a lock of
 * its own; its holder writes words into the study's row, and they count only while the lock is taken. After a
 * connection was lost both are taken again: a hold that somebody else has taken meanwhile is gone, and each call
 * says so until it is back. Both are given back when a study is closed, because the server ends a session in its
 * own time: what was closed could still look open. */
#include "base/error.h"
#include "base/memory.h"
#include "store/postgresql/postgresql_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
