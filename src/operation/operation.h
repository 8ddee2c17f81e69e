/* SPDX-License-Identifier: Apache-2.0 */
/* What can be done with a study, as a table with one row for each operation. Every way to a study is made from these
 * rows: the commands of `fcps study`, the paths of `fcps serve` and their description (openapi.json), calls of a study
 * behind a server, the tools of `fcps mcp`, and Python's served study. A new operation is a row, a function and a
 * test. */
#ifndef FCPS_OPERATION_OPERATION_H
#define FCPS_OPERATION_OPERATION_H

#include "format/json.h"

#include <fcps/study.h>

typedef enum fcps_field_type {
  FCPS_FIELD_TEXT,
  FCPS_FIELD_INTEGER,
  FCPS_FIELD_NUMBER,
  FCPS_FIELD_BOOLEAN,
  FCPS_FIELD_NUMBERS,  /* numbers and words under the names of their dimensions: {"x": 3, "gate": "pin"} */
  FCPS_FIELD_SETTINGS, /* settings as texts under their names: {"kappa": "1"} */
  FCPS_FIELD_BOUNDS,   /* pairs of bounds under the names of dimensions: {"speed": [0.1, 6]} */
  FCPS_FIELD_CONTEXTS, /* an array of {"target": ..., "environment": ...}, or the text of a table */
  FCPS_FIELD_PART,     /* a part of a problem file: its text in YAML, or JSON with a list or an object */
  FCPS_FIELD_REASON,   /* a text, or true without a reason */
  FCPS_FIELD_RESULT,   /* the number of a stored result, or its name: "7.2" is the second result of ask 7 */
  FCPS_FIELD_OBJECT,   /* an object with the fields `of`; any object if there are none */
  FCPS_FIELD_VALUES,   /* an array of numbers or words */
  FCPS_FIELD_LIST      /* an array of objects with the fields `of`; an array of numbers if there are none */
} fcps_field_type;

/* A forecast is made from this many worlds. */
enum { FCPS_OPERATION_WORLDS = 32 };

enum {
  FCPS_FIELD_NEEDED = 1, /* a request or an answer without it is refused */
  /* the value may be null, which differs from leaving it out; a command has the option --no-NAME for it */
  FCPS_FIELD_NULLABLE = 2,
  FCPS_FIELD_POSITIONAL = 4, /* a command takes it as a word without an option */
  FCPS_FIELD_UNSAID = 8,     /* only programs give this value, people never do */
  FCPS_FIELD_FILE = 16,      /* a command reads the text from a file, and puts the file's name into "file" */

  /* The flags of an answer's fields: */
  FCPS_FIELD_TRUE = 32, /* only the value `true` acknowledges the request */
  FCPS_FIELD_SAME = 64, /* the value repeats that of the request, if the request has one */
  FCPS_FIELD_SEVERAL =
      128 /* the list that answers "count" or "contexts"; an answer with it needs no fields of a single answer */
};

/* One value of a request or of an answer. Tables of fields end with a row without a name. */
typedef struct fcps_field {
  const char *name;
  fcps_field_type type;
  unsigned flags;
  const char *help; /* one sentence; NULL if the name says enough */
  /* The limits of an integer. For a list, `most` is the largest number of items. If most is 0, there are no limits. */
  int64_t least, most;
  const char *choices; /* what a text may be: "json csv" */
  const char *initial; /* the default, as JSON; NULL: there is none */
  const char *value;   /* the name of the value in help; NULL: the name of its type */
  const char *option;  /* its name as an option of a command; NULL: `name` */
  char letter;         /* the short form of the option; 0: there is none */
  const struct fcps_field *of;
} fcps_field;

/* What an operation needs, and where a server runs it. */
typedef enum fcps_operation_kind {
  FCPS_OPERATION_LOOKS, /* only reads what is stored */
  FCPS_OPERATION_ASKS,  /* asks the model, which may take long */
  FCPS_OPERATION_WRITES /* stores something; such operations run one after the other */
} fcps_operation_kind;

/* The right that a client needs for an operation. Each right includes the ones before it. */
typedef enum fcps_operation_right {
  FCPS_RIGHT_READ,
  FCPS_RIGHT_ASK,   /* gives out trials, which use up the budget */
  FCPS_RIGHT_TELL,  /* adds results */
  FCPS_RIGHT_MANAGE /* changes the study itself */
} fcps_operation_right;

enum {
  FCPS_OPERATION_BY_GET = 1,      /* the request is the query of a GET */
  FCPS_OPERATION_OF_PROGRAMS = 2, /* for workers and pages; there is no command and no tool for it */
  FCPS_OPERATION_IS_LONG = 4,     /* the request may be long, because it may contain the results of years */
  FCPS_OPERATION_IS_OPEN = 8,     /* the client needs no token */
  /* doing it twice has more effect than doing it once, unless the request names a client */
  FCPS_OPERATION_COUNTS = 16,
  FCPS_OPERATION_MAKES_ASKS = 32 /* results that wait in files are told first, so that no trial is done twice */
};

struct fcps_call;
typedef fcps_status fcps_operation_fn(struct fcps_call *call, fcps_error *error);

typedef struct fcps_operation {
  const char *name; /* the name of the command and of the tool, such as "ask" */
  const char *path; /* the word for it in an address; NULL: the name */
  fcps_operation_kind kind;
  fcps_operation_right right;
  unsigned flags;
  const char *summary; /* one line of help */
  const char *help;    /* further sentences; may be NULL */
  /* what follows "fcps study NAME throw.fcps" in an example, one example on each line; may be NULL */
  const char *example;
  const fcps_field *request, *answer;
  const char *type; /* the media type of an answer that is not JSON; NULL: JSON */
  fcps_operation_fn *run;
} fcps_operation;

/* Returns row `index`, from 0; NULL after the last row. */
const fcps_operation *fcps_operation_at(int index);

/* Returns the operation with this name; NULL if there is none. */
const fcps_operation *fcps_operation_find(const char *name);

/* Returns the word that follows the study in an address; "" means the study itself. */
const char *fcps_operation_path(const fcps_operation *operation);

/* Checks that a parsed answer belongs to this request (NULL: an empty request): it has all needed fields, all fields
 * have the right type, and fields that repeat the request have the same values. Otherwise returns FCPS_ERR_FORMAT, and
 * the error names the fault. */
fcps_status fcps_operation_check_answer(const fcps_operation *operation, const fcps_json *request,
                                        const fcps_json *answer, fcps_error *error);

/* Returns the media type of the answer to this request; NULL: JSON. */
const char *fcps_operation_type(const fcps_operation *operation, const fcps_json *request);

/* Returns the fields of a request as a JSON schema (2020-12). */
fcps_json *fcps_operation_schema(const fcps_field *request);

/* Returns the description of a server, openapi.json, with these operations and the server's own. The table `own` ends
 * with a row without a name, and its rows have whole paths. The caller frees the text with fcps_free; NULL if memory
 * ran out. */
char *fcps_operation_openapi(const fcps_operation *own);

#endif
