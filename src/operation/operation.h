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
  FCPS_FIELD_NEEDED = 1,     /* a request or an answer without it is refused */
  FCPS_FIELD_NULLABLE = 2,   /* null means something of its own; --no-NAME says it in a command */
  FCPS_FIELD_POSITIONAL = 4, /* a command takes it as a word without an option */
  FCPS_FIELD_UNSAID = 8,     /* programs fill it in; people never give it */
  FCPS_FIELD_FILE = 16,      /* a command reads the text from a file; its name goes into "file" */

  /* of an answer */
  FCPS_FIELD_TRUE = 32, /* only `true` acknowledges the request */
  FCPS_FIELD_SAME = 64, /* repeats the request's value, if the request has one */
  FCPS_FIELD_SEVERAL =
      128 /* the list that answers "count" or "contexts"; it replaces the needed fields of a single answer */
};

/* One value of a request or of an answer. Tables of fields end with a row without a name. */
typedef struct fcps_field {
  const char *name;
  fcps_field_type type;
  unsigned flags;
  const char *help;    /* one sentence; NULL if the name says it */
  int64_t least, most; /* limits of an integer; of a list, `most` is the largest number of items; most = 0: no limits */
  const char *choices; /* of a text: "json csv" */
  const char *initial; /* the default, as JSON; NULL: no default */
  const char *value;   /* the value's name in help; NULL: named after its type */
  const char *option;  /* its name as an option of a command; NULL: `name` */
  char letter;         /* the option's short form; 0: it has no short form */
  const struct fcps_field *of;
} fcps_field;

/* What an operation needs, and where a server runs it. */
typedef enum fcps_operation_kind {
  FCPS_OPERATION_LOOKS, /* reads what is stored */
  FCPS_OPERATION_ASKS,  /* asks the model, which may take a while */
  FCPS_OPERATION_WRITES /* stores; one after the other */
} fcps_operation_kind;

/* The right that a client needs. Each right includes those before it. */
typedef enum fcps_operation_right {
  FCPS_RIGHT_READ,
  FCPS_RIGHT_ASK,   /* takes trials from the budget */
  FCPS_RIGHT_TELL,  /* adds results */
  FCPS_RIGHT_MANAGE /* changes the study itself */
} fcps_operation_right;

enum {
  FCPS_OPERATION_BY_GET = 1,      /* its request is the query of a GET */
  FCPS_OPERATION_OF_PROGRAMS = 2, /* for workers and pages; not a command or a tool */
  FCPS_OPERATION_IS_LONG = 4,     /* its request may hold years of results, so it may be long */
  FCPS_OPERATION_IS_OPEN = 8,     /* needs no token */
  FCPS_OPERATION_COUNTS = 16,     /* repeating it does more than doing it once, unless the request names a client */
  FCPS_OPERATION_MAKES_ASKS = 32  /* results that wait to be stored are told first, so that no trial is done twice */
};

struct fcps_call;
typedef fcps_status fcps_operation_fn(struct fcps_call *call, fcps_error *error);

typedef struct fcps_operation {
  const char *name; /* of the command and of the tool: "ask" */
  const char *path; /* its word in an address; NULL: the name */
  fcps_operation_kind kind;
  fcps_operation_right right;
  unsigned flags;
  const char *summary; /* one line of help */
  const char *help;    /* further sentences; may be NULL */
  const char *example; /* the rest of a command after "fcps study NAME throw.fcps", one on each line; may be NULL */
  const fcps_field *request, *answer;
  const char *type; /* of an answer that is not JSON; NULL: JSON */
  fcps_operation_fn *run;
} fcps_operation;

/* Row `index`, from 0; NULL past the end. */
const fcps_operation *fcps_operation_at(int index);

/* The operation with this name; NULL if there is no such operation. */
const fcps_operation *fcps_operation_find(const char *name);

/* The word after the study in an address; "" is the study itself. */
const char *fcps_operation_path(const fcps_operation *operation);

/* Checks that a parsed answer belongs to this request (NULL: an empty request): all needed fields are there, all have the right
 * type, and fields that repeat the request have its values. Otherwise returns FCPS_ERR_FORMAT, and the error names the fault. */
fcps_status fcps_operation_check_answer(const fcps_operation *operation, const fcps_json *request,
                                        const fcps_json *answer, fcps_error *error);

/* The media type of the answer to this request; NULL: JSON. */
const char *fcps_operation_type(const fcps_operation *operation, const fcps_json *request);

/* The fields of a request as a JSON schema (2020-12). */
fcps_json *fcps_operation_schema(const fcps_field *request);

/* The description of a server, openapi.json: these operations and the server's own. The table `own` ends with a row without
 * a name; its paths are whole. The caller frees the text with fcps_free; NULL: out of memory. */
char *fcps_operation_openapi(const fcps_operation *own);

#endif
