/* SPDX-License-Identifier: Apache-2.0 */
/* The tables in PostgreSQL, their version, and how they are made.
 *
 * The columns of `journal` are those of a record (store.h) with its checksum. Rows of numbers are bytes, little-endian, 8
 * each; a reward that is NaN is NULL. A study that is removed takes its rows with it.
 *
 * Invariants: tables of a newer version are refused untouched; to go from one version to the next is one step of `steps`,
 * and all missing steps are one transaction, so a kill leaves the old version or the new one. */
#include "base/error.h"
#include "store/postgresql/postgresql_impl.h"

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

/* Makers of tables wait for each other: this lock is that of "fcps" and no study. */
static const char lock_tables[] = "SELECT pg_advisory_xact_lock(1717792883, 0)";

fcps_status fcps_postgresql_check_version(const char *name, int64_t version, fcps_error *error)
{
  if (version <= VERSION) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_FORMAT, "",
                        "%s was made by a newer fcps (tables %lld, this one knows %d). Nothing was changed; use the "
                        "newer fcps.",
                        name, (long long)version, VERSION);
}

/* 0 where there are none */
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

fcps_status fcps_postgresql_check_tables(postgresql_connection *c, const char *name, bool *are_there, fcps_error *error)
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
  if (status == FCPS_OK) status = read_version(s->connection, &version, error); /* others may have been faster */
  if (status == FCPS_OK)
    status = fcps_postgresql_ask_integer(s->connection, "SELECT (to_regnamespace('fcps') IS NOT NULL)::int::int8",
                                         &has_schema, error);
  if (status == FCPS_OK && has_schema == 0)
    status = fcps_postgresql_run(s->connection, "CREATE SCHEMA fcps", NULL, error);
  for (int64_t step = version; status == FCPS_OK && step < VERSION; step++)
    status = fcps_postgresql_run(s->connection, steps[step], NULL, error);
  return status;
}
