/* SPDX-License-Identifier: Apache-2.0 */
/* The door to PostgreSQL: the only file that calls libpq.
 *
 * Values travel in binary form: integers and numbers big-endian, texts and rows of numbers as bytes. Statements are
 * blocking; a server that no longer answers is given up by the connection's own limits (`tcp_user_timeout`).
 *
 * Statuses: what may pass, such as a server that restarts or a lock that was not free in time, is FCPS_ERR_LOCKED,
 * so that callers that can wait do; an address that can never work FCPS_ERR_ARGUMENT; a full disk of the server
 * FCPS_ERR_STORE_FULL; everything else FCPS_ERR_STORE. The words of the server are passed on; they never contain a
 * password. */
#include "store/postgresql/postgresql_impl.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <libpq-fe.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 20, OID_BYTES = 17, OID_INTEGER = 20, OID_NUMBER = 701 };

struct postgresql_connection {
  PGconn *db;
  char *name;   /* the study's name, for messages */
  bool is_lost; /* the connection has broken, even if libpq does not know it yet */
};

/* -- Failures -- */

/* Copies the first line of a message of libpq or the server, without its line feed. */
static void first_line(const char *said, size_t size, char *text)
{
  const char *begin = strncmp(said, "ERROR:  ", 8) == 0 ? said + 8 : said;
  snprintf(text, size, "%.*s", (int)strcspn(begin, "\n"), begin);
}

bool fcps_postgresql_is_lost(const postgresql_connection *c)
{
  return c == NULL || c->is_lost || PQstatus(c->db) != CONNECTION_OK;
}

static fcps_status lost(postgresql_connection *c, fcps_error *error)
{
  c->is_lost = true;
  char said[300];
  first_line(PQerrorMessage(c->db), sizeof said, said);
  return fcps_error_set(error, FCPS_ERR_LOCKED, "", "the database of %s cannot be reached now: %s.", c->name, said);
}

/* Whether the server answered and will refuse until something is changed there. libpq has no SQLSTATE for this, so the
 * words of its message are compared. For a server that speaks another language the answer is no, so fcps waits for
 * it. */
static bool is_refused(PGconn *db)
{
  static const char *const words[] = {
      "authentication failed", "no password supplied",       "does not exist",
      "no pg_hba.conf entry",  "is not permitted to log in", "permission denied for database",
      "root certificate",      "certificate verify failed",  NULL};
  const char *message = PQerrorMessage(db);
  for (const char *const *word = words; *word != NULL; word++)
    if (strstr(message, *word) != NULL) return true;
  return PQconnectionNeedsPassword(db) != 0;
}

/* Refuses an address without repeating any of its values, because a password may be in the wrong place, or in a
 * misspelt setting. */
static fcps_status refuse_address(const char *what, fcps_error *error)
{
  return fcps_error_set(
      error, FCPS_ERR_ARGUMENT, "",
      "the address of this study can never work: %s. Write postgresql://USER@HOST:PORT/DATABASE#NAME; "
      "settings stand before #, as in ?sslmode=require, and are those of libpq.",
      what);
}

static bool is_integer(const char *text)
{
  char *end;
  errno = 0;
  const long number = strtol(text, &end, 10);
  return end != text && end[strspn(end, " ")] == '\0' && errno == 0 && number >= INT_MIN && number <= INT_MAX;
}

/* Returns the name of the first setting that should be an integer but is not; NULL if all are right. libpq itself reads
 * these settings only after it has found a server. */
static const char *find_no_integer(const PQconninfoOption *settings)
{
  static const char *const integers[] = {
      "connect_timeout",  "keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count",
      "tcp_user_timeout", NULL};
  for (; settings->keyword != NULL; settings++)
    for (const char *const *name = integers; *name != NULL && settings->val != NULL; name++)
      if (strcmp(settings->keyword, *name) == 0 && !is_integer(settings->val)) return *name;
  return NULL;
}

/* Refuses an address that libpq cannot read, by its form, the names of its settings, and its integers. */
static fcps_status check_address(const char *database, fcps_error *error)
{
  char *said = NULL, what[80];
  PQconninfoOption *settings = PQconninfoParse(database, &said);
  const bool is_unknown = said != NULL && strstr(said, "query parameter") != NULL;
  const char *wrong = settings != NULL ? find_no_integer(settings) : NULL;
  snprintf(what, sizeof what, "%s%s",
           wrong != NULL ? wrong
           : is_unknown  ? "it has a setting that does not exist, or that has no value"
                         : "a bracket or a percent sign, for example, is wrong",
           wrong != NULL ? " is not a whole number" : "");
  fcps_status status = FCPS_OK;
  if (settings == NULL && said == NULL)
    status = fcps_error_memory(error);
  else if (settings == NULL || wrong != NULL)
    status = refuse_address(what, error);
  PQconninfoFree(settings);
  PQfreemem(said);
  return status;
}

/* Writes why libpq itself refused a value, without the value, which may be secret. Returns false if it refused no
 * value. libpq reads most values only when it connects, and then says for example: invalid sslmode value: "x". */
static bool is_bad_value(PGconn *db, size_t size, char *what)
{
  static const char *const words[][2] = {
      {"invalid integer value", "the port, or another setting, is not a whole number"},
      {"could not parse network address", "hostaddr is no IP address"},
      {"definition of service", "its service is not in the service file"},
      {"could not match ", NULL},
      {"invalid ", NULL}};
  char line[300];
  first_line(PQerrorMessage(db), sizeof line, line);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strncmp(line, words[i][0], strlen(words[i][0])) != 0) continue;
    const char *shown = words[i][1] != NULL ? words[i][1] : line;
    snprintf(what, size, "%.*s", (int)strcspn(shown, ":\""), shown);
    return true;
  }
  return false;
}

static fcps_status refuse_connection(postgresql_connection *c, fcps_error *error)
{
  char what[300];
  if (is_bad_value(c->db, sizeof what, what)) {
    c->is_lost = true;
    return refuse_address(what, error);
  }
  char said[300];
  first_line(PQerrorMessage(c->db), sizeof said, said);
  if (!is_refused(c->db)) return lost(c, error);
  c->is_lost = true;
  return fcps_error_set(
      error, FCPS_ERR_STORE, "",
      "the database of %s does not let us in: %s. Check the user, the database's name and the password "
      "(~/.pgpass, a service file or PGPASSWORD).",
      c->name, said);
}

static bool is_class(const char *state, const char *const *states)
{
  for (; *states != NULL; states++)
    if (strncmp(state, *states, strlen(*states)) == 0) return true;
  return false;
}

/* Turns a failed statement into an error, by its SQLSTATE. If the connection broke, there is none. */
static fcps_status refuse(postgresql_connection *c, const PGresult *result, fcps_error *error)
{
  static const char *const passing[] = {"55P03", "40", "57P", "53300", "25P03", NULL}, *const full[] = {"531", NULL},
                           *const forbidden[] = {"42501", "28", NULL};
  const char *state = result != NULL ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
  if (fcps_postgresql_is_lost(c) || state == NULL) return lost(c, error);
  char said[300];
  first_line(PQresultErrorMessage(result), sizeof said, said);
  if (strcmp(state, "55P03") == 0)
    return fcps_error_set(error, FCPS_ERR_LOCKED, "", "%s is being written by another process.", c->name);
  if (is_class(state, passing))
    return fcps_error_set(error, FCPS_ERR_LOCKED, "", "the database of %s is busy: %s.", c->name, said);
  if (is_class(state, full))
    return fcps_error_set(error, FCPS_ERR_STORE_FULL, "", "the database of %s is full: %s.", c->name, said);
  if (is_class(state, forbidden))
    return fcps_error_set(
        error, FCPS_ERR_STORE, "",
        "the database of %s does not allow this: %s. docs/cluster.md says which privileges are needed.", c->name, said);
  return fcps_error_set(error, FCPS_ERR_STORE, "", "the database of %s refused: %s (%s).", c->name, said, state);
}

/* -- Connecting -- */

static void ignore_notice(void *user, const PGresult *result)
{
  (void)user;
  (void)result;
}

fcps_status fcps_postgresql_connect(postgresql_connection **connection, const char *database, const char *name,
                                    fcps_error *error)
{
  /* The URL may override the settings before dbname, but not those after it. */
  static const char *const keys[] = {"fallback_application_name",
                                     "connect_timeout",
                                     "keepalives_idle",
                                     "tcp_user_timeout",
                                     "dbname",
                                     "client_encoding",
                                     NULL};
  const char *const values[] = {"fcps", "10", "30", "30000", database, "UTF8", NULL};
  *connection = NULL;
  const fcps_status status = check_address(database, error);
  if (status != FCPS_OK) return status;
  postgresql_connection *c = *connection = fcps_allocate(1, sizeof *c);
  if (c == NULL) return fcps_error_memory(error);
  c->name = fcps_copy_text(name);
  c->db = PQconnectdbParams(keys, values, 1);
  if (c->name == NULL || c->db == NULL) {
    fcps_postgresql_disconnect(c);
    *connection = NULL;
    return fcps_error_memory(error);
  }
  PQsetNoticeReceiver(c->db, ignore_notice, NULL);
  if (PQstatus(c->db) != CONNECTION_OK) return refuse_connection(c, error);
  /* A client that hangs within a transaction must not keep all others out for ever. */
  return fcps_postgresql_run(c, "SET idle_in_transaction_session_timeout = '10min'; SET search_path = ''", NULL, error);
}

void fcps_postgresql_disconnect(postgresql_connection *c)
{
  if (c == NULL) return;
  PQfinish(c->db);
  free(c->name);
  free(c);
}

/* -- Statements -- */

fcps_status fcps_postgresql_run(postgresql_connection *c, const char *sql, char tag[32], fcps_error *error)
{
  PGresult *result = PQexec(c->db, sql);
  const ExecStatusType code = PQresultStatus(result);
  fcps_status status = code == PGRES_COMMAND_OK || code == PGRES_TUPLES_OK ? FCPS_OK : refuse(c, result, error);
  if (status == FCPS_OK && tag != NULL) snprintf(tag, 32, "%s", PQcmdStatus(result));
  PQclear(result);
  return status;
}

static void write_big_endian(uint64_t bits, char out[8])
{
  for (int i = 0; i < 8; i++)
    out[i] = (char)(bits >> (56 - 8 * i));
}

static uint64_t read_big_endian(const char *in, int length)
{
  uint64_t bits = 0;
  for (int i = 0; i < length; i++)
    bits = bits << 8 | (unsigned char)in[i];
  return bits;
}

fcps_status fcps_postgresql_query(postgresql_connection *c, const char *sql, int count, const postgresql_value *values,
                                  postgresql_rows **rows, fcps_error *error)
{
  Oid types[MOST_VALUES];
  const char *bytes[MOST_VALUES];
  int sizes[MOST_VALUES], formats[MOST_VALUES];
  char fixed[MOST_VALUES][8];
  if (rows != NULL) *rows = NULL;
  for (int i = 0; i < count; i++) {
    const postgresql_value *v = &values[i];
    uint64_t bits = (uint64_t)v->integer;
    if (v->type == POSTGRESQL_NUMBER) memcpy(&bits, &v->number, sizeof bits);
    write_big_endian(bits, fixed[i]);
    types[i] = v->type == POSTGRESQL_INTEGER ? OID_INTEGER : v->type == POSTGRESQL_NUMBER ? OID_NUMBER : OID_BYTES;
    if (v->type == POSTGRESQL_NULL) types[i] = 0;
    const bool is_bytes = v->type == POSTGRESQL_BYTES;
    bytes[i] = v->type == POSTGRESQL_NULL ? NULL : is_bytes ? v->bytes : fixed[i];
    sizes[i] = is_bytes ? (int)v->size : 8;
    formats[i] = 1;
  }
  PGresult *result = PQexecParams(c->db, sql, count, types, bytes, sizes, formats, 1);
  const ExecStatusType code = PQresultStatus(result);
  const fcps_status status = code == PGRES_COMMAND_OK || code == PGRES_TUPLES_OK ? FCPS_OK : refuse(c, result, error);
  if (status == FCPS_OK && rows != NULL)
    *rows = (postgresql_rows *)result;
  else
    PQclear(result);
  return status;
}

/* -- Answers -- */

static const PGresult *result_of(const postgresql_rows *rows)
{
  return (const PGresult *)rows;
}

void fcps_postgresql_free_rows(postgresql_rows *rows)
{
  PQclear((PGresult *)rows);
}

int fcps_postgresql_row_count(const postgresql_rows *rows)
{
  return PQntuples(result_of(rows));
}

bool fcps_postgresql_is_null(const postgresql_rows *rows, int row, int column)
{
  return PQgetisnull(result_of(rows), row, column) != 0;
}

const char *fcps_postgresql_bytes(const postgresql_rows *rows, int row, int column, size_t *size)
{
  if (size != NULL) *size = (size_t)PQgetlength(result_of(rows), row, column);
  return PQgetvalue(result_of(rows), row, column);
}

int64_t fcps_postgresql_integer(const postgresql_rows *rows, int row, int column)
{
  size_t size;
  const char *bytes = fcps_postgresql_bytes(rows, row, column, &size);
  if (size == 8) return (int64_t)read_big_endian(bytes, 8);
  return size == 4 ? (int32_t)read_big_endian(bytes, 4) : size == 1 ? bytes[0] : 0;
}

double fcps_postgresql_number(const postgresql_rows *rows, int row, int column)
{
  size_t size;
  const char *bytes = fcps_postgresql_bytes(rows, row, column, &size);
  double number = NAN;
  if (size != 8) return number;
  const uint64_t bits = read_big_endian(bytes, 8);
  memcpy(&number, &bits, sizeof number);
  return number;
}

fcps_status fcps_postgresql_wait(postgresql_connection *c, int wait_ms, bool *is_notified, fcps_error *error)
{
  *is_notified = false;
  struct pollfd socket = {.fd = PQsocket(c->db), .events = POLLIN};
  for (int round = 0; round < 2 && !*is_notified; round++) {
    if (round > 0) poll(&socket, 1, wait_ms);
    if (PQconsumeInput(c->db) == 0) return lost(c, error);
    for (PGnotify *notice; (notice = PQnotifies(c->db)) != NULL; *is_notified = true)
      PQfreemem(notice);
  }
  return FCPS_OK;
}

fcps_status fcps_postgresql_ask_integer(postgresql_connection *c, const char *sql, int64_t *integer, fcps_error *error)
{
  postgresql_rows *rows = NULL;
  *integer = -1;
  const fcps_status status = fcps_postgresql_query(c, sql, 0, NULL, &rows, error);
  if (status == FCPS_OK && fcps_postgresql_row_count(rows) > 0 && !fcps_postgresql_is_null(rows, 0, 0))
    *integer = fcps_postgresql_integer(rows, 0, 0);
  fcps_postgresql_free_rows(rows);
  return status;
}
