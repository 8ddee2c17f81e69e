/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what the user typed into a request of an operation. The problem is not needed for this: the operation checks
 * names, wherever the study is. */
#include "cli/study/study.h"

#include "base/error.h"
#include "base/number.h"
#include "cli/support/shown.h"
#include "cli/support/values.h"
#include "format/csv.h"
#include "format/file.h"
#include "format/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* no server accepts a larger table */
enum { TABLE_MAX = 60 << 20, WORD = 48, HELP = 400, DOC = 2400, ROWS_MAX = 2 * CLI_FIELDS_MAX + 4 };

/* -- Options -- */

/* Writes the option of a field, as in "outcome-sd". */
static char *write_option(const fcps_field *f, char word[WORD])
{
  snprintf(word, WORD, "%s", f->option != NULL ? f->option : f->name);
  for (char *c = word; *c != '\0'; c++)
    if (*c == '_') *c = '-';
  return word;
}

/* Writes the name of a field on the command line: --outcome-sd, or ASK. */
static char *write_name(const fcps_field *f, char word[WORD + 2])
{
  char option[WORD];
  const bool is_word = (f->flags & FCPS_FIELD_POSITIONAL) != 0;
  snprintf(word, WORD + 2, "%s%s", is_word ? "" : "--",
           is_word && f->value != NULL ? f->value : write_option(f, option));
  for (char *c = word; is_word && f->value == NULL && *c != '\0'; c++)
    *c = (char)toupper((unsigned char)*c);
  return word;
}

static const fcps_field *find_field(const fcps_operation *operation, const char *name, size_t length)
{
  for (const fcps_field *f = operation->request; f->name != NULL; f++)
    if (strlen(f->name) == length && strncmp(f->name, name, length) == 0 && (f->flags & FCPS_FIELD_UNSAID) == 0)
      return f;
  return NULL;
}

/* Rewrites a text about keys, "count" or `count`, as one about options. */
static char *speak(const fcps_operation *operation, const char *text, size_t size, char *room)
{
  static const char truth[] = ": true";
  size_t used = 0;
  for (const char *c = text; *c != '\0' && used + WORD + 3 < size;) {
    const char *end = *c == '"' || *c == '`' ? strchr(c + 1, *c) : NULL;
    const fcps_field *f = end != NULL ? find_field(operation, c + 1, (size_t)(end - c) - 1) : NULL;
    char word[WORD + 2];
    if (f == NULL) {
      room[used++] = *c++;
      continue;
    }
    used += (size_t)snprintf(room + used, size - used, "%s", write_name(f, word));
    c = end + 1;
    if (f->type == FCPS_FIELD_BOOLEAN && strncmp(c, truth, strlen(truth)) == 0) c += strlen(truth);
  }
  room[used] = '\0';
  return room;
}

/* Puts the typed name of the study into "fcps study amend STUDY ..." in a message. */
static void name_study(const char *path, fcps_error *error)
{
  static const char command[] = "fcps study amend STUDY ";
  const fcps_error said = *error;
  const char *found = path != NULL ? strstr(said.message, command) : NULL;
  if (found != NULL)
    snprintf(error->message, sizeof error->message, "%.*sfcps study amend %.300s %s", (int)(found - said.message),
             said.message, cli_shown_word(path), found + sizeof command - 1);
}

void cli_request_speak(const cli_request *r, fcps_error *error)
{
  const fcps_operation *operation = r->operation;
  name_study(r->path, error);
  char room[sizeof error->message], word[WORD + 2];
  const fcps_field *f = find_field(operation, error->field, strlen(error->field));
  /* if there is a file, the field is one of its columns */
  if (f != NULL && (f->flags & FCPS_FIELD_POSITIONAL) == 0 && error->file[0] == '\0')
    snprintf(error->field, sizeof error->field, "%s", write_name(f, word));
  speak(operation, error->message, sizeof room, room);
  /* the field is printed before the message, and must not be repeated: "--target: --target has no ..." */
  const size_t said = strlen(error->field);
  const bool is_twice = said > 0 && strncmp(room, error->field, said) == 0 && room[said] == ' ';
  snprintf(error->message, sizeof error->message, "%s", room + (is_twice ? said + 1 : 0));
}

/* -- The table of arguments -- */

/* The texts of one table; a program runs one command at a time. */
typedef struct table {
  cli_argument rows[ROWS_MAX];
  int count;
  char names[CLI_FIELDS_MAX][WORD + 2], nulls[CLI_FIELDS_MAX][WORD + 4], helps[CLI_FIELDS_MAX][2][HELP];
  char doc[DOC];
} table;

static const char *name_value(const fcps_field *f)
{
  if (f->value != NULL) return f->value;
  switch (f->type) {
  case FCPS_FIELD_INTEGER:
    return "N";
  case FCPS_FIELD_NUMBER:
    return "NUMBER";
  case FCPS_FIELD_NUMBERS:
    return "NAME=VALUE,...";
  case FCPS_FIELD_SETTINGS:
    return "NAME=VALUE";
  case FCPS_FIELD_BOUNDS:
    return "NAME=LOWER,UPPER";
  case FCPS_FIELD_CONTEXTS:
    return "FILE.csv";
  default:
    return "TEXT";
  }
}

static bool is_file(const fcps_field *f)
{
  return f->type == FCPS_FIELD_CONTEXTS || (f->flags & FCPS_FIELD_FILE) != 0;
}

static cli_argument_kind kind_of(const fcps_field *f)
{
  if ((f->flags & FCPS_FIELD_POSITIONAL) != 0)
    return (f->flags & FCPS_FIELD_NEEDED) != 0 ? CLI_ARGUMENT_NEEDED : CLI_ARGUMENT_OPTIONAL;
  if (f->type == FCPS_FIELD_BOOLEAN) return CLI_ARGUMENT_SWITCH;
  return f->type == FCPS_FIELD_SETTINGS ? CLI_ARGUMENT_SETTINGS : CLI_ARGUMENT_TEXT;
}

/* Adds the option --no-outcome; its help follows "null:" in the help of the field. */
static void add_null(table *t, const fcps_field *f, int index, char *help, size_t offset)
{
  static const char mark[] = "; null: ";
  char word[WORD];
  char *words = strstr(help, mark);
  snprintf(t->nulls[index], sizeof *t->nulls, "no-%s", write_option(f, word));
  snprintf(t->helps[index][1], HELP, "%s", words != NULL ? words + strlen(mark) : "There is no such value");
  t->helps[index][1][0] = (char)toupper((unsigned char)t->helps[index][1][0]);
  if (words != NULL) *words = '\0';
  t->rows[t->count++] = (cli_argument){CLI_ARGUMENT_SWITCH, t->nulls[index], offset, .help = t->helps[index][1]};
}

static void add_field(table *t, const fcps_operation *operation, const fcps_field *f, int index)
{
  const size_t offset = offsetof(cli_request, given) + (size_t)index * sizeof(cli_given);
  const cli_argument_kind kind = kind_of(f);
  const bool is_word = (f->flags & FCPS_FIELD_POSITIONAL) != 0;
  char *help = speak(operation, f->help != NULL ? f->help : f->name, HELP, t->helps[index][0]);
  if (is_word)
    write_name(f, t->names[index]);
  else
    write_option(f, t->names[index]);
  if ((f->flags & FCPS_FIELD_NULLABLE) != 0) add_null(t, f, index, help, offset + offsetof(cli_given, is_null));
  t->rows[t->count++] =
      (cli_argument){.kind = kind,
                     .name = t->names[index],
                     .offset = offset + (kind == CLI_ARGUMENT_SWITCH     ? offsetof(cli_given, is_on)
                                         : kind == CLI_ARGUMENT_SETTINGS ? offsetof(cli_given, settings)
                                                                         : offsetof(cli_given, text)),
                     .letter = f->letter,
                     .value = is_word || kind == CLI_ARGUMENT_SWITCH ? NULL : name_value(f),
                     .help = is_word ? NULL : help,
                     .file = is_file(f) ? CLI_FILE_READ : CLI_FILE_NONE};
}

/* Writes the text before the options in the help, and the examples behind them. */
static void write_doc(table *t, const fcps_operation *operation)
{
  char help[DOC];
  const char *example = operation->example != NULL ? operation->example : "";
  size_t used = (size_t)snprintf(t->doc, DOC, "%s. %s\v%s:\n", operation->summary,
                                 speak(operation, operation->help != NULL ? operation->help : "", DOC, help),
                                 strchr(example, '\n') != NULL ? "Examples" : "Example");
  do {
    const int length = (int)strcspn(example, "\n");
    used += (size_t)snprintf(t->doc + used, DOC - used, "  fcps study %s throw.fcps%s%.*s\n", operation->name,
                             length > 0 ? " " : "", length, example);
    example += length + (example[length] == '\n');
  } while (*example != '\0' && used < DOC - 1);
}

static void make_table(table *t, const fcps_operation *operation, const cli_argument *own)
{
  static const cli_argument json = {CLI_ARGUMENT_SWITCH, "json", offsetof(cli_request, as_json), 'j',
                                    .help = "Print one JSON object"};
  *t = (table){.count = 0};
  t->rows[t->count++] = (cli_argument){CLI_ARGUMENT_NEEDED, "STUDY", .offset = offsetof(cli_request, path)};
  for (int i = 0; i < CLI_FIELDS_MAX && operation->request[i].name != NULL; i++)
    if ((operation->request[i].flags & FCPS_FIELD_UNSAID) == 0) add_field(t, operation, operation->request + i, i);
  if (operation->type == NULL) t->rows[t->count++] = json;
  if (own != NULL) t->rows[t->count++] = (cli_argument){CLI_ARGUMENT_TABLE, "own", .rows = own};
  t->rows[t->count] = (cli_argument){0};
  write_doc(t, operation);
}

/* -- From typed words to JSON -- */

static fcps_status read_bounds(const char *option, const char *text, fcps_json **value, fcps_error *error)
{
  char name[101], lower[64] = "", upper[64] = "";
  const char *equals = strchr(text, '=');
  double numbers[2];
  if (equals == NULL || equals == text || equals - text >= (long)sizeof name)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "\"%s\" is not NAME=LOWER,UPPER", text);
  snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
  if (sscanf(equals + 1, "%63[^,],%63s", lower, upper) != 2 || !fcps_number_read(lower, numbers) ||
      !fcps_number_read(upper, numbers + 1))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "\"%.60s\" is not LOWER,UPPER", equals + 1);
  *value = fcps_json_object();
  fcps_json_put(value, name, fcps_json_from_numbers(2, numbers));
  return FCPS_OK;
}

static fcps_status read_integer(const fcps_field *f, const char *option, const char *text, fcps_json **value,
                                fcps_error *error)
{
  const int64_t least = f->most != 0 ? f->least : INT64_MIN, most = f->most != 0 ? f->most : INT64_MAX;
  int64_t number = 0;
  const fcps_status status = cli_option_integer(option, text, least, most, &number, error);
  if (status == FCPS_OK) *value = fcps_json_from_integer(number);
  return status;
}

/* Refuses a text that is not UTF-8: JSON would change its characters. */
static fcps_status check_text(const char *text, size_t length, const char *file, fcps_error *error)
{
  int line = 1;
  for (size_t i = 0, step; i < length; i += step) {
    line += text[i] == '\n';
    step = fcps_utf8_length(text + i);
    if (step == 0 || text[i] == '\0')
      return fcps_error_at(error, FCPS_ERR_FORMAT, file, line, 0, NULL,
                           "this is not a text in UTF-8; save the table as CSV in UTF-8");
  }
  return FCPS_OK;
}

/* Reads the text of a table; its name goes into the field "file". */
static fcps_status read_table(cli_request *r, const char *file, fcps_json **value)
{
  fcps_csv csv = {0};
  char *text = NULL;
  size_t length = 0;
  fcps_status status = fcps_csv_read_file(&csv, file, &r->error); /* reports errors of the table */
  fcps_csv_destroy(&csv);
  if (status == FCPS_OK) status = fcps_file_read(file, TABLE_MAX, &text, &length, &r->error);
  if (status == FCPS_OK) status = check_text(text, length, file, &r->error);
  if (status == FCPS_OK) {
    *value = fcps_json_from_text(text);
    fcps_json_put(&r->json, "file", fcps_json_from_text(file));
  }
  free(text);
  return status;
}

static fcps_status read_field(cli_request *r, const fcps_field *f, const cli_given *given, fcps_json **value)
{
  char option[WORD + 2];
  double real = 0;
  const char *text = given->text;
  write_name(f, option);
  if (given->is_null) *value = fcps_json_null();
  if (given->is_on) *value = fcps_json_from_bool(true);
  if (given->settings.count > 0) *value = fcps_json_from_settings(given->settings.items);
  if (text == NULL) return FCPS_OK;
  fcps_json_destroy(*value);
  *value = NULL;
  if (is_file(f)) return read_table(r, text, value);
  switch (f->type) {
  case FCPS_FIELD_NUMBERS:
    return cli_numbers_read(option, text, value, &r->error);
  case FCPS_FIELD_BOUNDS:
    return read_bounds(option, text, value, &r->error);
  case FCPS_FIELD_INTEGER:
    return read_integer(f, option, text, value, &r->error);
  case FCPS_FIELD_NUMBER:
    if (!fcps_number_read(text, &real))
      return fcps_error_set(&r->error, FCPS_ERR_ARGUMENT, option, "\"%s\" is not a number", text);
    *value = fcps_json_from_number(real);
    return FCPS_OK;
  default: /* a result is named as text: its record's number would be taken for that of an ask */
    *value = fcps_json_from_text(text);
    return FCPS_OK;
  }
}

fcps_status cli_request_parse(cli_request *r, const fcps_operation *operation, const cli_argument *own, int argc,
                              char **argv)
{
  static table t;
  make_table(&t, operation, own);
  r->operation = operation;
  r->json = fcps_json_object();
  fcps_status status = cli_arguments_parse(t.rows, t.doc, argc, argv, r, &r->error);
  for (int i = 0; i < CLI_FIELDS_MAX && operation->request[i].name != NULL && status == FCPS_OK; i++) {
    fcps_json *value = NULL;
    status = read_field(r, operation->request + i, r->given + i, &value);
    if (status == FCPS_OK && value != NULL)
      fcps_json_put(&r->json, operation->request[i].name, value);
    else
      fcps_json_destroy(value);
  }
  return status == FCPS_OK && r->json == NULL ? fcps_error_memory(&r->error) : status;
}

void cli_request_destroy(cli_request *r)
{
  for (int i = 0; i < CLI_FIELDS_MAX; i++)
    cli_setting_list_destroy(&r->given[i].settings);
  fcps_json_destroy(r->json);
  fcps_json_destroy(r->problem);
  fcps_door_close(r->door);
  *r = (cli_request){0};
}

static const cli_given *find_given(const cli_request *r, const char *field)
{
  static const cli_given nothing = {0};
  for (int i = 0; i < CLI_FIELDS_MAX && r->operation->request[i].name != NULL; i++)
    if (strcmp(r->operation->request[i].name, field) == 0) return r->given + i;
  return &nothing;
}

const char *cli_request_text(const cli_request *r, const char *field)
{
  return find_given(r, field)->text;
}

bool cli_request_is_null(const cli_request *r, const char *field)
{
  return find_given(r, field)->is_null;
}
