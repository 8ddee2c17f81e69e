/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps study`: finds the subcommand, runs it under the name that its help shows, and reads what the user typed into the
 * request of an operation. */
#include "cli/study/study.h"

#include "base/error.h"
#include "base/number.h"
#include "cli/support/exit.h"
#include "cli/support/open_study.h"
#include "cli/support/values.h"
#include "format/csv.h"
#include "format/file.h"
#include "format/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- A row of the table of operations: from typed words to printed lines -- */

fcps_status cli_operation_do(cli_request *r, const fcps_run_patience *patience)
{
  fcps_door_answer answer = {0};
  fcps_status status = r->door == NULL ? cli_open_door(&r->door, r->path, patience, &r->error) : FCPS_OK;
  if (status == FCPS_OK) status = cli_door_do(r->door, r->operation->name, r->json, &answer, &r->error);
  if (status == FCPS_OK && r->operation->kind == FCPS_OPERATION_WRITES)
    cli_told_words_note(r->path, fcps_door_identity(r->door));
  if (status == FCPS_OK) status = cli_operation_print(r, &answer);
  fcps_door_answer_destroy(&answer);
  return status;
}

static int run_row(const fcps_operation *operation, const cli_special *special, int argc, char **argv)
{
  cli_request r = {0};
  fcps_status status = cli_request_parse(&r, operation, special != NULL ? special->own : NULL, argc, argv);
  if (status == FCPS_OK && special != NULL && special->check != NULL) status = special->check(&r);
  if (status == FCPS_OK)
    status = special != NULL && special->run != NULL ? special->run(&r, argc, argv) : cli_operation_do(&r, NULL);
  if (status != FCPS_OK) cli_request_speak(&r, &r.error);
  const int code = status != FCPS_OK ? cli_fail(&r.error) : 0;
  cli_request_destroy(&r);
  return code;
}

/* -- The commands -- */

/* The list of subcommands. It has the commands that read a whole study or make one, and it fixes the order of those
 * that are made from a row of the table of operations. Rows that are not in this list follow at its end. */
static const struct subcommand {
  const char *name;
  cli_command_fn *run;        /* NULL: the command is made from a row of the table of operations */
  const cli_special *special; /* what a command made from a row does in addition; may be NULL */
  const char *summary;        /* NULL: the summary of the row is shown */
} subcommands[] = {
    {"new", cli_study_new, NULL, "make a study from a problem file"},
    {"ask", NULL, &cli_study_ask, NULL},
    {"choose", NULL, &cli_study_choose, NULL},
    {"tell", NULL, &cli_study_tell, NULL},
    {"forget", NULL, NULL, NULL},
    {"best", NULL, NULL, NULL},
    {"why", NULL, NULL, NULL},
    {"forecast", NULL, &cli_study_forecast, NULL},
    {"explain", NULL, &cli_study_explain, NULL},
    {"status", cli_study_status, NULL, "the progress, where the policy is good, and whether to continue"},
    {"check-model", cli_study_check_model, NULL, NULL},
    {"report", cli_study_report, NULL, "the study as one page, for people without fcps"},
    {"log", cli_study_log, NULL, "every stored result"},
    {"export", cli_study_export, NULL, "the results as CSV or JSON lines"},
    {"import", NULL, NULL, NULL},
    {"amend", NULL, &cli_study_amend, "change the reward, the bounds, which results count, or the learner"},
    {"backup", cli_study_backup, NULL, "copy a study to another file, even while it is in use"},
    {"restore", cli_study_restore, NULL, "make a study again from a backup"},
    {"copy", cli_study_copy, NULL, "copy a study to a new one, between a file and a database"},
    {"repair", cli_study_repair, NULL, "save what can be read of a damaged study"},
};
enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands, COMMANDS_MAX = 64 };

static const struct subcommand *find_subcommand(const char *name)
{
  for (int i = 0; i < SUBCOMMANDS; i++)
    if (strcmp(name, subcommands[i].name) == 0) return subcommands + i;
  return NULL;
}

/* The row of the table of operations for a command; NULL if there is none. */
static const fcps_operation *find_row(const char *name)
{
  const fcps_operation *row = fcps_operation_find(name);
  return row != NULL && (row->flags & FCPS_OPERATION_OF_PROGRAMS) == 0 ? row : NULL;
}

/* Lists all names, those of `subcommands` first. */
static int list_names(const char *names[COMMANDS_MAX])
{
  const fcps_operation *row;
  int count = 0;
  for (int i = 0; i < SUBCOMMANDS; i++)
    names[count++] = subcommands[i].name;
  for (int i = 0; (row = fcps_operation_at(i)) != NULL && count < COMMANDS_MAX; i++)
    if (find_row(row->name) != NULL && find_subcommand(row->name) == NULL) names[count++] = row->name;
  return count;
}

/* Prints a row's summary, such as "Parameters worth trying", with a small first letter, as the list of commands has
 * it. */
static void print_summary(FILE *stream, const char *name)
{
  const struct subcommand *own = find_subcommand(name);
  if (own != NULL && own->summary != NULL) {
    fprintf(stream, "  %-12s %s\n", name, own->summary);
    return;
  }
  const char *summary = find_row(name)->summary;
  fprintf(stream, "  %-12s %c%s\n", name, tolower((unsigned char)*summary), summary + 1);
}

static int print_help(FILE *stream, int code)
{
  const char *names[COMMANDS_MAX];
  const int count = list_names(names);
  fputs("Usage: fcps study COMMAND STUDY [OPTION...]\n"
        "Ask and tell for your own robot: every ask is stored before it is shown, every result before it is\n"
        "acknowledged.\n\n",
        stream);
  for (int i = 0; i < count; i++)
    print_summary(stream, names[i]);
  fputs("\nExample, with examples/simulator/throw.yaml:\n"
        "  fcps study new throw.fcps --problem throw.yaml\n"
        "  fcps study ask throw.fcps --target x=3,y=4 --environment wind=0.2\n"
        "  fcps study tell throw.fcps 1 --outcome land_x=0.64,land_y=-3.05\n"
        "  fcps study best throw.fcps --target x=1,y=2 --environment wind=0\n\n"
        "STUDY may be the address of a study behind `fcps serve`: http://127.0.0.1:8017/throw, or "
        "unix:/PATH/SOCKET/throw.\n"
        "`fcps study COMMAND --help` explains a command.\n",
        stream);
  return code;
}

bool cli_study_has_command(const char *name)
{
  return find_subcommand(name) != NULL || find_row(name) != NULL;
}

const char *cli_study_nearest_command(const char *name)
{
  const char *names[COMMANDS_MAX];
  return fcps_nearest_name(name, list_names(names), names);
}

/* Runs the command under the name that its help shows. Returns its exit code, or -1 if no command has this name. */
static int run_command(const char *name, int argc, char **argv)
{
  static char title[64];
  const struct subcommand *own = find_subcommand(name);
  if (own == NULL && find_row(name) == NULL) return -1;
  snprintf(title, sizeof title, "fcps study %s", name);
  argv[1] = title;
  if (own != NULL && own->run != NULL) return own->run(argc - 1, argv + 1);
  return run_row(find_row(name), own != NULL ? own->special : NULL, argc - 1, argv + 1);
}

int cli_command_study(int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : NULL, *names[COMMANDS_MAX];
  if (name == NULL) return print_help(stderr, CLI_EXIT_USAGE);
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) return print_help(stdout, 0);
  const int code = run_command(name, argc, argv);
  if (code >= 0) return code;
  fcps_error error = {0};
  char hint[256], room[300];
  const char *advice = cli_option_habit(name);
  if (advice != NULL)
    fcps_error_set(&error, FCPS_ERR_UNKNOWN_NAME, name, "there is no such option; %s", advice);
  else if (argc > 2 && cli_study_has_command(argv[2]))
    fcps_error_set(&error, FCPS_ERR_UNKNOWN_NAME, "study",
                   "there is no command \"%s\"; the command comes first: fcps study %s %s", name, argv[2],
                   fcps_shell_word(name, sizeof room, room));
  else
    fcps_error_set(&error, FCPS_ERR_UNKNOWN_NAME, "study", "there is no command \"%s\"; %s", name,
                   fcps_name_hint(name, list_names(names), names, sizeof hint, hint));
  return cli_fail(&error);
}

/* -- Requests --
 *
 * A request can be read without the problem, which may be behind a server: the operation itself checks names. */

/* No server accepts a table of more than TABLE_MAX bytes. */
enum { TABLE_MAX = 60 << 20, WORD = 48, HELP = 400, DOC = 2400, ROWS_MAX = 2 * CLI_FIELDS_MAX + 4 };

/* -- Options -- */

/* Writes the option's word for a field, as in "outcome-sd". Returns `word`. */
static char *write_option(const fcps_field *f, char word[WORD])
{
  snprintf(word, WORD, "%s", f->option != NULL ? f->option : f->name);
  for (char *c = word; *c != '\0'; c++)
    if (*c == '_') *c = '-';
  return word;
}

/* Writes the name of a field as it is typed: --outcome-sd, or ASK for an argument without an option. Returns `word`. */
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

/* Rewrites a text that names keys of a request, as in "count" or `count`, so that it names options. Returns `text`. */
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
  /* If the error names a file, the field is a column of that file and not an option. */
  if (f != NULL && (f->flags & FCPS_FIELD_POSITIONAL) == 0 && error->file[0] == '\0')
    snprintf(error->field, sizeof error->field, "%s", write_name(f, word));
  speak(operation, error->message, sizeof room, room);
  /* The field is printed before the message. If the message begins with the field, too, remove it there: not "--target:
   * --target has no ...". */
  const size_t said = strlen(error->field);
  const bool is_twice = said > 0 && strncmp(room, error->field, said) == 0 && room[said] == ' ';
  snprintf(error->message, sizeof error->message, "%s", room + (is_twice ? said + 1 : 0));
}

/* -- The table of arguments -- */

/* The texts of the table of arguments. There is only one, because a program runs one command at a time. */
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

/* Adds the option --no-outcome. Its help text is what follows "null:" in the help of the field. */
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

/* Writes what the help says before the options, and the examples after them. */
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

/* Refuses a text that is not UTF-8, because JSON would change its characters. */
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

/* Reads the text of a table. The name of its file goes into the request as "file". */
static fcps_status read_table(cli_request *r, const char *file, fcps_json **value)
{
  fcps_csv csv = {0};
  char *text = NULL;
  size_t length = 0;
  /* Reading it as CSV reports the errors of the table. */
  fcps_status status = fcps_csv_read_file(&csv, file, &r->error);
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
  default: /* A result is sent as text. As a number, the number of its record would be taken for that of an ask. */
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
