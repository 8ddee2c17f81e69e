/* SPDX-License-Identifier: Apache-2.0 */
/* One call of the API: what was asked, for which study, and the answer. A resource is a function that fills the answer;
 * it runs in a thread that owns its study, and touches nothing of the connection. */
#ifndef FCPS_SERVE_CALL_H
#define FCPS_SERVE_CALL_H

#include "format/json.h"
#include "serve/http/query.h"

#include <fcps/study.h>

/* What is sent back. */
typedef struct fcps_answer {
  int status;       /* of HTTP */
  const char *type; /* of the body; NULL: JSON */
  char *body;       /* freed with fcps_free */
  size_t length;
  const char *file_ending; /* not NULL: to be saved as a file, STUDY with this ending */
  bool is_passing;         /* it may become wrong although the study does not change */
  bool is_constant;        /* the body stays where it is for ever: it is sent without a copy */
} fcps_answer;

struct fcps_lane;
struct fcps_names;

typedef struct fcps_call {
  struct fcps_lane *lane;   /* that runs the call */
  const char *name;         /* of the study */
  fcps_study *study;        /* NULL where a study is made */
  const char *folder;       /* in which studies are made; NULL: none is */
  struct fcps_names *names; /* those that are taken */
  const fcps_query *query;
  const fcps_json *body; /* an object; of a GET: NULL */
  fcps_log log;          /* warnings come back with the answer */

  /* to be filled: an object, or a text */
  int status; /* 0: 200 */
  fcps_json *json;
  char *text;    /* freed with fcps_free */
  size_t length; /* of the text; 0: up to its end */
  char *made;    /* the path of a study that was made; freed with fcps_free */
  const char *type, *file_ending;
  bool is_passing; /* not to be remembered: see fcps_answer */
} fcps_call;

typedef fcps_status fcps_resource_fn(fcps_call *call, fcps_error *error);

/* Refuses a key of the body that the call does not know; `keys` ends with NULL. Nothing that was sent is passed over.
 * */
fcps_status fcps_call_check_keys(const fcps_call *call, const char *const *keys, fcps_error *error);

/* Values of the body. A text or a number that is not given leaves `value` as it is; one of another kind is refused. */
fcps_status fcps_call_text(const fcps_call *call, const char *key, const char **value, fcps_error *error);
fcps_status fcps_call_client(const fcps_call *call, const char **client, fcps_error *error); /* none of a run's */
fcps_status fcps_call_integer(const fcps_call *call, const char *key, int64_t least, int64_t most, int64_t *value,
                              fcps_error *error);
fcps_status fcps_call_bool(const fcps_call *call, const char *key, bool *value, fcps_error *error);

/* Settings, an object of texts, as a list that ends with {NULL, NULL} and is freed with free; NULL where none is
 * given. */
fcps_status fcps_call_settings(const fcps_call *call, const char *key, fcps_setting **settings, fcps_error *error);

/* Refuses names in the object under `key` that the space does not have. */
fcps_status fcps_call_check_names(const fcps_json *object, const fcps_space *space, const char *key, fcps_error *error);

/* The context that an object gives under "target" and "environment", complete and without other names. */
fcps_status fcps_call_context(const fcps_problem *problem, const fcps_json *object, double *target, double *environment,
                              fcps_error *error);

/* Rows of contexts: those of the array under "contexts", else the one of the body itself. */
typedef struct fcps_call_contexts {
  int count;
  bool is_list; /* they came as an array */
  double *targets, *environments;
} fcps_call_contexts;
fcps_status fcps_call_contexts_create(fcps_call_contexts *contexts, const fcps_call *call, int most, fcps_error *error);
void fcps_call_contexts_destroy(fcps_call_contexts *contexts);

/* The policy of the study as it is now. It belongs to the lane, which keeps it until the study changes. */
fcps_status fcps_call_policy(fcps_call *call, fcps_policy **policy, fcps_error *error);

/* Marks the suspects among the results, as the model sees them now; where there is no model, nobody is one. */
void fcps_call_find_suspects(fcps_call *call);

/* The status of HTTP for a failure. */
int fcps_call_http_status(fcps_status status);

#endif
