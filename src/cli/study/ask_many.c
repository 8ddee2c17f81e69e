/* SPDX-License-Identifier: Apache-2.0 */
/* Several asks at once. All contexts are read and checked before the first ask is made; the asks are stored together
 * before any is printed. */
#include "cli/study/ask_many.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "cli/study/asking.h"
#include "cli/study/print_ask.h"
#include "cli/support/print_json.h"
#include "cli/support/remote.h"
#include "cli/support/values.h"
#include "wire/contexts.h"

#include <stdlib.h>

/* The contexts, as many as rows. */
typedef struct context_rows {
  int rows;
  cli_points at;
} context_rows;

bool cli_asks_are_wanted(const cli_asks_wanted *wanted)
{
  return wanted->count >= 0 || wanted->contexts != NULL;
}

fcps_status cli_asks_check(const cli_asks_wanted *wanted, fcps_error *error)
{
  if (wanted->contexts != NULL && wanted->count >= 0)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "--count",
                          "--contexts makes one ask per row of its file; give one of --count and --contexts");
  if (wanted->contexts != NULL && (wanted->target != NULL || wanted->environment != NULL))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "--contexts",
                          "the contexts come from %.300s; leave out --target and --environment", wanted->contexts);
  return FCPS_OK;
}

fcps_status cli_asks_read_count(const char *option, const char *text, void *value, fcps_error *error)
{
  int64_t *count = value;
  if (fcps_integer_read(text, count) && *count >= 1 && *count <= FCPS_ASKS_MAX) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "\"%.40s\": ask for 1 to %d at once", text, FCPS_ASKS_MAX);
}

static fcps_status read_csv(context_rows *contexts, const fcps_csv *csv, const fcps_problem *p, fcps_error *error)
{
  if (csv->rows < 1 || csv->rows > FCPS_ASKS_MAX)
    return fcps_error_at(error, FCPS_ERR_FORMAT, csv->file, 1, 0, "contexts",
                         "the file has %d rows; give 1 to %d contexts at once", csv->rows, FCPS_ASKS_MAX);
  contexts->rows = csv->rows;
  fcps_status status = cli_points_create(&contexts->at, p, csv->rows, error);
  if (status == FCPS_OK) status = fcps_wire_contexts_read(csv, p, contexts->at.target, contexts->at.environment, error);
  return status == FCPS_OK ? fcps_wire_contexts_check(csv, p, contexts->at.target, contexts->at.environment, error)
                           : status;
}

static fcps_status read_contexts(context_rows *contexts, const cli_asks_wanted *wanted, const fcps_problem *p,
                                 fcps_error *error)
{
  fcps_status status;
  if (wanted->contexts != NULL) {
    fcps_csv csv = {0};
    status = fcps_csv_read_file(&csv, wanted->contexts, error);
    if (status != FCPS_OK) return status;
    status = read_csv(contexts, &csv, p, error);
    fcps_csv_destroy(&csv);
    return status;
  }
  contexts->rows = 1;
  status = cli_points_create(&contexts->at, p, 1, error);
  if (status == FCPS_OK)
    status = cli_values_read(p, &p->target, "--target", wanted->target, true, contexts->at.target, NULL, error);
  if (status == FCPS_OK)
    status = cli_values_read(p, &p->environment, "--environment", wanted->environment, true, contexts->at.environment,
                             NULL, error);
  return status;
}

static fcps_status print_asks(const fcps_problem *p, int count, const fcps_ask *asks, bool as_json, fcps_error *error)
{
  if (!as_json) {
    for (int i = 0; i < count; i++)
      cli_ask_print(p, asks + i);
    return FCPS_OK;
  }
  fcps_json *list = fcps_json_array(), *object = fcps_json_object();
  for (int i = 0; i < count; i++)
    fcps_json_add(&list, cli_ask_json(p, asks + i));
  fcps_json_put(&object, "asks", list);
  return cli_print_json(stdout, object, error);
}

fcps_status cli_asks_make(fcps_study *study, const char *path, const cli_asks_wanted *wanted, fcps_error *error)
{
  context_rows contexts = {0};
  fcps_status status = read_contexts(&contexts, wanted, fcps_study_problem(study), error);
  const int count = wanted->contexts != NULL ? contexts.rows : (int)wanted->count;
  fcps_ask *asks = status == FCPS_OK ? fcps_allocate((size_t)count, sizeof *asks) : NULL;
  if (status == FCPS_OK && asks == NULL) status = fcps_error_memory(error);
  const fcps_ask_contexts rows = {contexts.rows, contexts.at.target, contexts.at.environment};
  cli_asking_begin(count);
  if (status == FCPS_OK)
    status = cli_remote_is(path) ? cli_remote_ask_many(path, fcps_study_problem(study), count, &rows, asks, error)
                                 : fcps_study_ask_many(study, count, &rows, asks, error);
  cli_asking_end();
  if (status == FCPS_OK) status = print_asks(fcps_study_problem(study), count, asks, wanted->as_json, error);
  free(asks);
  cli_points_destroy(&contexts.at);
  return status;
}
