/* SPDX-License-Identifier: Apache-2.0 */
/* One call of an operation: for which study, what was asked, and the answer. The request is checked against the fields of
 * its row before the function of the row sees it, so that functions read what they know to be right. */
#ifndef FCPS_OPERATION_CALL_H
#define FCPS_OPERATION_CALL_H

#include "operation/operation.h"

#include <fcps/run.h>

/* What is kept of a study from one call to the next, while it does not change. Zeros are an empty one. */
typedef struct fcps_call_kept {
  fcps_policy *policy;
  int64_t policy_sequence, suspects_sequence;
} fcps_call_kept;
void fcps_call_kept_clear(fcps_call_kept *kept);

typedef struct fcps_call {
  const fcps_operation *operation;
  fcps_study *study;
  const char *name;         /* of the study; may be NULL */
  const fcps_json *request; /* an object; NULL: an empty one */
  fcps_call_kept *kept;
  fcps_log log;
  const fcps_run_patience *patience; /* of a tell; NULL: a study that is in use is not waited for */
  double time_limit_s;               /* of a forecast; 0: none */
  void *server;                      /* for operations of a server alone */

  /* to be filled: an object, or a text */
  int status; /* of HTTP; 0: 200, or that of the error */
  fcps_json *json;
  char *text;                     /* freed with fcps_free */
  size_t length;                  /* of the text; 0: up to its end */
  const char *type, *file_ending; /* of the text; to be saved as a file, STUDY with this ending */
  bool is_passing;                /* the answer may become wrong although the study does not change */
} fcps_call;

/* Checks the request and runs the operation. The caller destroys `json` and frees `text`, also after a failure. */
fcps_status fcps_call_run(fcps_call *call, fcps_error *error);

/* Values of the request, which has been checked: NULL, `otherwise` or false if they are not given. */
const fcps_json *fcps_call_get(const fcps_call *call, const char *name); /* NULL also if null is given */
const char *fcps_call_text(const fcps_call *call, const char *name);
int64_t fcps_call_integer(const fcps_call *call, const char *name, int64_t otherwise);
bool fcps_call_bool(const fcps_call *call, const char *name);

/* Whether a value is of the type of its field. */
fcps_status fcps_call_check_value(const fcps_field *field, const fcps_json *value, fcps_error *error);

/* The client; it must not be one of a run's. */
fcps_status fcps_call_client(const fcps_call *call, const char **client, fcps_error *error);

/* Settings as a list that ends with {NULL, NULL} and is freed with free; NULL if none is given. */
fcps_status fcps_call_settings(const fcps_call *call, const char *name, fcps_setting **settings, fcps_error *error);

/* Refuses names in the object under `key` of a request that the space does not have, and says where they belong; with
 * `is_complete` also an object that lacks one. What is not an object is for the reader of its numbers. */
fcps_status fcps_call_check_names(const fcps_problem *problem, const fcps_space *space, const char *key,
                                  const fcps_json *object, bool is_complete, fcps_error *error);

/* Rows of contexts: those of "contexts", else the one of the request itself. */
typedef struct fcps_call_contexts {
  int count;
  bool is_list; /* they came as a list */
  double *targets, *environments;
} fcps_call_contexts;
fcps_status fcps_call_contexts_create(fcps_call_contexts *contexts, const fcps_call *call, fcps_error *error);
void fcps_call_contexts_destroy(fcps_call_contexts *contexts);

/* The policy of the study as it is now; it is kept until the study changes. */
fcps_status fcps_call_policy(fcps_call *call, fcps_policy **policy, fcps_error *error);

/* Marks the suspects among the results, as the model sees them now; without a model there are none. */
void fcps_call_find_suspects(fcps_call *call);

/* The status of HTTP for a failure. */
int fcps_call_http_status(fcps_status status);

#endif
