/* SPDX-License-Identifier: Apache-2.0 */
/* One call of an operation: the study, the request and the answer. The request is checked against the fields of its row
 * before the function of the row sees it, so functions need not check types again. */
#ifndef FCPS_OPERATION_CALL_H
#define FCPS_OPERATION_CALL_H

#include "operation/operation.h"

#include <fcps/run.h>

#include <stdatomic.h>

/* What calls share as long as a study does not change. All zero means that nothing is kept yet. */
typedef struct fcps_call_kept {
  fcps_policy *policy;
  int64_t policy_sequence, suspects_sequence;
} fcps_call_kept;
void fcps_call_kept_clear(fcps_call_kept *kept);

typedef struct fcps_call {
  const fcps_operation *operation;
  fcps_study *study;
  const char *name;         /* the name of the study; may be NULL */
  const fcps_json *request; /* a JSON object; NULL means an empty one */
  fcps_call_kept *kept;
  fcps_log log;
  const fcps_run_patience *patience; /* how long a tell waits for a study that is in use; NULL: it does not wait */
  double time_limit_s;               /* the time limit of a forecast, in seconds; 0: none */
  const atomic_bool *is_left;        /* whether the client of a forecast has gone away; NULL: it has not */
  void *server;                      /* the server, for operations that only a server has; else NULL */

  /* The operation fills in the answer, an object or a text: */
  int status; /* the HTTP status; 0 means 200, or the status of the error */
  fcps_json *json;
  char *text;    /* the text, which is freed with fcps_free */
  size_t length; /* the length of the text; 0: the text ends at its first zero byte */
  /* the media type of the text; and the ending under which it is saved as STUDY.ending */
  const char *type, *file_ending;
  bool is_passing; /* the answer may become outdated although the study does not change */
} fcps_call;

/* Checks the request and runs the operation. The caller destroys `json` and frees `text`, also after a failure. */
fcps_status fcps_call_run(fcps_call *call, fcps_error *error);

/* The functions below return values of the request, which has been checked. If a value is not given, they return NULL,
 * `otherwise` or false. */
const fcps_json *fcps_call_get(const fcps_call *call, const char *name); /* also NULL if the value is null */
const char *fcps_call_text(const fcps_call *call, const char *name);
int64_t fcps_call_integer(const fcps_call *call, const char *name, int64_t otherwise);
bool fcps_call_bool(const fcps_call *call, const char *name);

/* Checks that a value has the type of its field. */
fcps_status fcps_call_check_value(const fcps_field *field, const fcps_json *value, fcps_error *error);

/* Reads the client's name. Names that `fcps run` uses are refused. */
fcps_status fcps_call_client(const fcps_call *call, const char **client, fcps_error *error);

/* Reads the budget, which must be above zero; 0 if the request has none. */
fcps_status fcps_call_budget(const fcps_call *call, double *budget, fcps_error *error);

/* Reads settings as a list that ends with {NULL, NULL}. The caller frees the list with free; it is NULL if the request
 * has no settings. */
fcps_status fcps_call_settings(const fcps_call *call, const char *name, fcps_setting **settings, fcps_error *error);

/* Refuses names in the object under `key` that the space does not have, and says where they belong. If `is_complete`,
 * also refuses an object in which a name of the space is missing. A value that is not an object is not checked here,
 * but when its numbers are read. */
fcps_status fcps_call_check_names(const fcps_problem *problem, const fcps_space *space, const char *key,
                                  const fcps_json *object, bool is_complete, fcps_error *error);

/* The contexts of a request: those under "contexts" or, without these, its own "target" and "environment". */
typedef struct fcps_call_contexts {
  int count;
  bool is_list; /* the contexts stood under "contexts" */
  double *targets, *environments;
} fcps_call_contexts;
fcps_status fcps_call_contexts_create(fcps_call_contexts *contexts, const fcps_call *call, fcps_error *error);
void fcps_call_contexts_destroy(fcps_call_contexts *contexts);

/* Makes the policy of the study as it is now. `kept` owns the policy until the study changes. */
fcps_status fcps_call_policy(fcps_call *call, fcps_policy **policy, fcps_error *error);

/* Marks the results that the present model suspects. Without a model no result is a suspect. */
void fcps_call_find_suspects(fcps_call *call);

/* Returns the HTTP status for a failure. */
int fcps_call_http_status(fcps_status status);

/* -- The functions of table.c; the row of each says what it takes and returns -- */

/* history.c, about a study as a whole */
fcps_operation_fn fcps_operation_status, fcps_operation_problem, fcps_operation_file;

/* asks.c; the last four are for workers on other machines */
fcps_operation_fn fcps_operation_asks, fcps_operation_ask, fcps_operation_choose, fcps_operation_forget;
fcps_operation_fn fcps_operation_work, fcps_operation_lease, fcps_operation_renew, fcps_operation_release;

/* results.c */
fcps_operation_fn fcps_operation_tell, fcps_operation_use, fcps_operation_drop, fcps_operation_confirm,
    fcps_operation_note, fcps_operation_import;

/* history.c */
fcps_operation_fn fcps_operation_rollouts, fcps_operation_suspects, fcps_operation_table, fcps_operation_events,
    fcps_operation_curve;

/* policy.c */
fcps_operation_fn fcps_operation_policy, fcps_operation_best, fcps_operation_retarget;

fcps_operation_fn fcps_operation_health, fcps_operation_check_model;

fcps_operation_fn fcps_operation_map;

/* why.c, forecast.c and explain.c, which ask the model */
fcps_operation_fn fcps_operation_why, fcps_operation_forecast, fcps_operation_explain;

/* amend.c */
fcps_operation_fn fcps_operation_amend;

#endif
