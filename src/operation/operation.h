/* SPDX-License-Identifier: Apache-2.0 */
/* What can be done with a study: one row each. Every door is made from these rows: the commands of `fcps study`, the paths
 * of `fcps serve` and their description (openapi.json), calls of a study behind a server, the tools of `fcps mcp`, and
 * Python's served study. A new operation is a row, a function and a test. */
#ifndef FCPS_OPERATION_OPERATION_H
#define FCPS_OPERATION_OPERATION_H

#include "format/json.h"

#include <fcps/study.h>

typedef enum fcps_field_type {
  FCPS_FIELD_TEXT,
  FCPS_FIELD_INTEGER,
  FCPS_FIELD_NUMBER,
  FCPS_FIELD_BOOLEAN,
  FCPS_FIELD_NUMBERS,  /* numbers and words by the names of their dimensions: {"x": 3, "gate": "pin"} */
  FCPS_FIELD_SETTINGS, /* texts by name: {"kappa": "1"} */
  FCPS_FIELD_BOUNDS,   /* {"speed": [0.1, 6]} */
  FCPS_FIELD_CONTEXTS, /* an array of {"target": ..., "environment": ...}, or the text of a table */
  FCPS_FIELD_PART,     /* a part of a problem file: its text, or a list or an object */
  FCPS_FIELD_REASON,   /* a text, or true */
  FCPS_FIELD_RESULT,   /* the number of a stored result, or its name: "7.2" is the second result of ask 7 */
  FCPS_FIELD_OBJECT,   /* of the fields `of`; any object without them */
  FCPS_FIELD_VALUES,   /* an array of numbers or words */
  FCPS_FIELD_LIST      /* of objects with the fields `of`; of numbers without them */
} fcps_field_type;

/* How many worlds a forecast is made from. */
enum { FCPS_OPERATION_WORLDS = 32 };

enum {
  FCPS_FIELD_NEEDED = 1,     /* it must be there: of a request, and of an answer */
  FCPS_FIELD_NULLABLE = 2,   /* null means something of its own; --no-NAME says it in a command */
  FCPS_FIELD_POSITIONAL = 4, /* a command takes it as a word without an option */
  FCPS_FIELD_UNSAID = 8,     /* the program fills it in; no person gives it */
  FCPS_FIELD_FILE = 16,      /* a command reads the text from a file; its name goes into "file" */

  /* of an answer */
  FCPS_FIELD_TRUE = 32,    /* false would mean that nothing was done */
  FCPS_FIELD_SAME = 64,    /* as the request has it, if it does */
  FCPS_FIELD_SEVERAL = 128 /* an answer to "count" or "contexts" has this, instead of all that is needed of one */
};

/* One value of a request or of an answer. Tables of fields end with a row without a name. */
typedef struct fcps_field {
  const char *name;
  fcps_field_type type;
  unsigned flags;
  const char *help;    /* one sentence; NULL if the name says it */
  int64_t least, most; /* of an integer; of a list: `most` items. most = 0: no limits */
  const char *choices; /* of a text: "json csv" */
  const char *initial; /* what it is where it is not given, as JSON; NULL: nothing */
  const char *value;   /* what help calls the value; NULL: after its type */
  const char *option;  /* what a command calls it; NULL: the name */
  char letter;         /* short form of the option; 0: none */
  const struct fcps_field *of;
} fcps_field;

/* What an operation needs, and where a server runs it. */
typedef enum fcps_operation_kind {
  FCPS_OPERATION_LOOKS, /* reads what is stored */
  FCPS_OPERATION_ASKS,  /* asks the model, which may take a while */
  FCPS_OPERATION_WRITES /* stores; one after the other */
} fcps_operation_kind;

/* The right that it needs, from the least trust to the most; each right includes those before it. */
typedef enum fcps_operation_right {
  FCPS_RIGHT_READ,
  FCPS_RIGHT_ASK,   /* takes trials from the budget */
  FCPS_RIGHT_TELL,  /* adds results */
  FCPS_RIGHT_MANAGE /* changes the study itself */
} fcps_operation_right;

enum {
  FCPS_OPERATION_BY_GET = 1,      /* its request is the query of a GET */
  FCPS_OPERATION_OF_PROGRAMS = 2, /* workers and pages need it; no command and no tool */
  FCPS_OPERATION_IS_LONG = 4,     /* its request may have years of results */
  FCPS_OPERATION_IS_OPEN = 8,     /* needs no token */
  FCPS_OPERATION_COUNTS = 16,     /* done twice it is another thing than done once, unless a client is named */
  FCPS_OPERATION_MAKES_ASKS = 32  /* what waits to be told is told before, so that no trial is done twice */
};

struct fcps_call;
typedef fcps_status fcps_operation_fn(struct fcps_call *call, fcps_error *error);

typedef struct fcps_operation {
  const char *name; /* "ask": of the command and of the tool */
  const char *path; /* its word in an address; NULL: the name */
  fcps_operation_kind kind;
  fcps_operation_right right;
  unsigned flags;
  const char *summary; /* a few words */
  const char *help;    /* further sentences; may be NULL */
  const char *example; /* the rest of a command after "fcps study NAME throw.fcps", one on each line; may be NULL */
  const fcps_field *request, *answer;
  const char *type; /* of an answer that is not JSON; NULL: JSON */
  fcps_operation_fn *run;
} fcps_operation;

/* Row `index`, from 0; NULL past the end. */
const fcps_operation *fcps_operation_at(int index);

/* NULL: there is none. */
const fcps_operation *fcps_operation_find(const char *name);

/* The word after the study in an address; "" is the study itself. */
const char *fcps_operation_path(const fcps_operation *operation);

/* Whether an answer (parsed) may be one to this request (NULL: an empty one): it has what its row says that it needs, all is of its
 * kind, and what repeats the request is the same. Else FCPS_ERR_FORMAT, with what is wrong with it. */
fcps_status fcps_operation_check_answer(const fcps_operation *operation, const fcps_json *request,
                                        const fcps_json *answer, fcps_error *error);

/* The media type of an answer to this request; NULL: JSON, which the check reads. */
const char *fcps_operation_type(const fcps_operation *operation, const fcps_json *request);

/* The fields of a request as a JSON schema (2020-12). */
fcps_json *fcps_operation_schema(const fcps_field *request);

/* The whole description of a server, openapi.json: these operations, and what the server has beside them. `own` ends with
 * a row without a name, and the path of each is whole. Freed with fcps_free; NULL without memory. */
char *fcps_operation_openapi(const fcps_operation *own);

#endif
