/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of arguments, which argp reads. Some mistakes are refused here with advice, because argp or getopt would
 * refuse them without any. */
#include "cli/support/arguments.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "cli/support/exit.h"
#include "cli/support/open_study.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 32, FIRST_KEY = 256 };

/* A row of a table, and where its value goes. */
typedef struct entry {
  const cli_argument *row;
  void *value;
  const char **note; /* receives the name of the first given option; may be NULL */
  int group;
} entry;

/* The rows of all tables of a command, in their order. */
typedef struct parsing {
  int count;
  entry entries[MOST_ROWS];
  int arguments; /* the number of arguments without an option so far */
  fcps_error *error;
} parsing;

static bool is_option(const cli_argument *row)
{
  return row->kind != CLI_ARGUMENT_NEEDED && row->kind != CLI_ARGUMENT_OPTIONAL && row->kind != CLI_ARGUMENT_LIST;
}

/* Adds the rows of a table. Their offsets are relative to `values`. `from` is the row that includes the table; NULL: it
 * is the command's own table. */
static fcps_status add_table(parsing *p, const cli_argument *table, char *values, const entry *from)
{
  fcps_status status = FCPS_OK;
  for (const cli_argument *row = table; row->name != NULL && status == FCPS_OK; row++) {
    entry e = {.row = row, .value = values + row->offset, .group = row->group};
    if (row->note != 0) e.note = (const char **)(void *)(values + row->note);
    if (from != NULL) {
      e.note = from->note;
      e.group = from->group;
    }
    if (row->kind == CLI_ARGUMENT_TABLE)
      status = add_table(p, row->rows, e.value, &e);
    else if (p->count < MOST_ROWS)
      p->entries[p->count++] = e;
    else
      status = fcps_error_set(p->error, FCPS_ERR_INTERNAL, row->name, "the table has more than %d rows", MOST_ROWS);
  }
  return status;
}

/* -- Values -- */

static fcps_status take_text(const cli_argument *row, const char *option, const char *text, const char **value,
                             fcps_error *error)
{
  /* A second list of named values would replace the first one without a word. */
  if (*value != NULL && row->value != NULL && strchr(row->value, '=') != NULL)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "is given twice%s",
                          strstr(row->value, ",...") != NULL ? "; values are joined by commas, as in --target x=3,y=4"
                                                             : "");
  *value = text;
  return FCPS_OK;
}

static fcps_status take_item(const cli_argument *row, const char *text, cli_argument_list *list, fcps_error *error)
{
  if (list->count == CLI_ARGUMENT_LIST_MAX)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, row->value, "more than %d %ss at a time", CLI_ARGUMENT_LIST_MAX,
                          row->value);
  list->items[list->count++] = text;
  return FCPS_OK;
}

static fcps_status take(const parsing *p, const entry *e, const char *text)
{
  const cli_argument *row = e->row;
  void *value = e->value;
  char option[64];
  snprintf(option, sizeof option, "--%s", row->name);
  if (e->note != NULL && *e->note == NULL) *e->note = row->name;
  switch (row->kind) {
  case CLI_ARGUMENT_SWITCH:
    *(bool *)value = true;
    return FCPS_OK;
  case CLI_ARGUMENT_COUNT:
    return cli_option_integer(option, text, 0, INT64_MAX, value, p->error);
  case CLI_ARGUMENT_SETTINGS:
    return cli_setting_list_add(value, option, text, p->error);
  case CLI_ARGUMENT_READ:
    return row->read(option, text, value, p->error);
  case CLI_ARGUMENT_LIST:
    return take_item(row, text, value, p->error);
  default:
    return take_text(row, option, text, value, p->error);
  }
}

/* Returns advice about an argument that no row takes; "" if there is none. The text may be in `words`. */
static const char *advise(const parsing *p, const char *text, size_t size, char *words)
{
  const char *end = strrchr(text, '.');
  const bool is_problem = end != NULL && (strcmp(end, ".yaml") == 0 || strcmp(end, ".yml") == 0);
  if (strchr(text, '=') != NULL) return "; values are joined by commas, as in --target x=3,y=4";
  for (int i = 0; i < p->count && is_problem; i++) {
    if (strcmp(p->entries[i].row->name, "problem") != 0) continue;
    snprintf(words, size, "; a problem file is given as --problem %s", text);
    return words;
  }
  return "";
}

/* Takes the next argument without an option. */
static fcps_status take_argument(parsing *p, const char *text)
{
  int index = 0;
  for (int i = 0; i < p->count; i++) {
    const cli_argument *row = p->entries[i].row;
    if (is_option(row)) continue;
    if (row->kind != CLI_ARGUMENT_LIST && index++ < p->arguments) continue;
    p->arguments++;
    return take(p, &p->entries[i], text);
  }
  char words[256];
  return fcps_error_set(p->error, FCPS_ERR_ARGUMENT, "", "\"%s\" is one argument too many%s", text,
                        advise(p, text, sizeof words, words));
}

static fcps_status check_complete(const parsing *p)
{
  int index = 0;
  for (int i = 0; i < p->count; i++) {
    const cli_argument *row = p->entries[i].row;
    if ((row->kind != CLI_ARGUMENT_NEEDED && row->kind != CLI_ARGUMENT_LIST) || row->is_optional) continue;
    if (index++ < p->arguments) continue;
    if (row->help != NULL) return fcps_error_set(p->error, FCPS_ERR_ARGUMENT, row->value, "%s", row->help);
    return fcps_error_set(p->error, FCPS_ERR_ARGUMENT, "", "which %s? --help says more", row->name);
  }
  return FCPS_OK;
}

/* -- Files -- */

/* Adds the files that this row names and that the command uses in the given way. */
static void list_files(const entry *e, cli_argument_file use, cli_named_files *files)
{
  if (e->row->file != use) return;
  const cli_argument_list *list = e->value;
  const char *const *one = e->value;
  const bool is_list = e->row->kind == CLI_ARGUMENT_LIST;
  for (int i = 0; i < (is_list ? list->count : 1); i++) {
    const char *path = is_list ? list->items[i] : *one;
    if (path != NULL && files->count < CLI_NAMED_FILES)
      files->items[files->count++] = (cli_named_file){is_option(e->row) ? e->row->name : NULL, path, e->row->endings};
  }
}

/* Before the command begins, refuses outputs that would destroy what it reads. */
static fcps_status check_files(const parsing *p)
{
  cli_named_files read = {0}, written = {0}, folders = {0};
  for (int i = 0; i < p->count; i++) {
    list_files(&p->entries[i], CLI_FILE_READ, &read);
    list_files(&p->entries[i], CLI_FILE_WRITTEN, &written);
    list_files(&p->entries[i], CLI_FILE_FOLDER, &folders);
  }
  return cli_named_files_check(&read, &written, &folders, p->error);
}

/* -- Names of options -- */

static int option_names(const parsing *p, const char *names[MOST_ROWS + 2])
{
  int count = 0;
  names[count++] = "help";
  names[count++] = "usage";
  for (int i = 0; i < p->count; i++)
    if (is_option(p->entries[i].row)) names[count++] = p->entries[i].row->name;
  return count;
}

/* Whether an option has this name. As in getopt, the beginning of a name is enough if only one name begins so. */
static bool is_known(const char *name, int count, const char *const *names)
{
  int beginnings = 0;
  for (int i = 0; i < count; i++) {
    if (strcmp(name, names[i]) == 0) return true;
    beginnings += strncmp(name, names[i], strlen(name)) == 0;
  }
  return beginnings == 1;
}

/* Finds the option of a key: its letter, or its index among the entries. NULL if there is no such option. */
static const entry *find_entry(const parsing *p, int key)
{
  if (key >= FIRST_KEY && key < FIRST_KEY + p->count) return &p->entries[key - FIRST_KEY];
  for (int i = 0; i < p->count; i++) {
    const cli_argument *row = p->entries[i].row;
    if (is_option(row) && row->letter != 0 && row->letter == key) return &p->entries[i];
  }
  return NULL;
}

/* Finds the row of an option by its name, or by a beginning that only this name has. NULL if there is none. */
static const cli_argument *find_row(const parsing *p, const char *name)
{
  const cli_argument *found = NULL;
  for (int i = 0; i < p->count; i++) {
    const cli_argument *row = p->entries[i].row;
    if (!is_option(row) || strncmp(name, row->name, strlen(name)) != 0) continue;
    if (strcmp(name, row->name) == 0) return row;
    found = row;
  }
  return found;
}

/* Options that users know from other programs, with advice about each. */
static const struct habit {
  const char *option, *advice;
} habits[] = {
    {"--verbose", "progress and warnings are always shown, on standard error"},
    {"-v", "progress and warnings are always shown, on standard error; the version is shown by fcps --version"},
    {"--version", "the version is shown by fcps --version"},
    {"-V", "the version is shown by fcps --version"}};

const char *cli_option_habit(const char *option)
{
  for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
    if (strcmp(option, habits[i].option) == 0) return habits[i].advice;
  return NULL;
}

static fcps_status refuse_unknown(const parsing *p, const char *option, const char *name, fcps_error *error)
{
  const char *names[MOST_ROWS + 2], *advice = cli_option_habit(option);
  char hint[384];
  const int count = option_names(p, names);
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, option, "there is no such option; %s",
                        advice != NULL ? advice : fcps_name_hint(name, count, names, sizeof hint, hint));
}

/* Refuses a value that is itself the name of an option: the user probably forgot the value. */
static fcps_status check_value(const parsing *p, const cli_argument *row, const char *value, fcps_error *error)
{
  char option[64];
  snprintf(option, sizeof option, "--%s", row->name);
  if (value == NULL)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "needs a value: %s %s", option, row->value);
  if (strncmp(value, "--", 2) == 0 && value[2] != '\0' && find_row(p, value + 2) != NULL)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "needs a value: %s %s. If %s is the value, write %s=%s",
                          option, row->value, value, option, value);
  return FCPS_OK;
}

/* Checks argv[i], an option of the form --name or --name=value. If the value is the next argument, *i moves to it. */
static fcps_status check_long(const parsing *p, char **argv, int *i)
{
  const char *names[MOST_ROWS + 2], *option = argv[*i], *equals = strchr(option, '=');
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(option + 2, "="), option + 2);
  if (!is_known(name, option_names(p, names), names)) return refuse_unknown(p, option, name, p->error);
  const cli_argument *row = find_row(p, name);
  const bool has_value = row != NULL && row->kind != CLI_ARGUMENT_SWITCH;
  if (has_value && equals == NULL) return check_value(p, row, argv[++*i], p->error);
  if (has_value || equals == NULL) return FCPS_OK;
  return fcps_error_set(p->error, FCPS_ERR_ARGUMENT, option, "this option has no value; write --%s",
                        row != NULL ? row->name : name);
}

/* Checks argv[i], options of the form -abc. If the last letter's value is the next argument, *i moves to it. */
static fcps_status check_letters(const parsing *p, char **argv, int *i)
{
  const char *text = argv[*i];
  const cli_argument *meant = find_row(p, text + 1);
  if (meant != NULL && strcmp(meant->name, text + 1) == 0)
    return fcps_error_set(p->error, FCPS_ERR_ARGUMENT, text, "a whole name has two dashes: -%s", text);
  for (const char *letter = text + 1; *letter != '\0'; letter++) {
    const entry *e = *letter == 'h' || *letter == '?' ? NULL : find_entry(p, (unsigned char)*letter);
    /* A byte of 128 or more is a part of a UTF-8 character, and must not be printed alone. */
    const bool is_plain = (unsigned char)*letter < 128;
    const char short_form[] = {'-', *letter, '\0'}, *option = is_plain ? short_form : text;
    if (*letter == 'h' || *letter == '?') continue;
    if (e == NULL && strchr("0123456789.", text[1]) != NULL)
      return fcps_error_set(
          p->error, FCPS_ERR_ARGUMENT, text,
          "a negative number cannot stand alone here: a value follows the name that it belongs to, as "
          "in --target x=-3. A file of this name is written ./%s",
          text);
    if (e == NULL) return refuse_unknown(p, option, option + 1, p->error);
    if (e->row->kind == CLI_ARGUMENT_SWITCH) continue;
    return letter[1] != '\0' ? FCPS_OK : check_value(p, e->row, argv[++*i], p->error);
  }
  return FCPS_OK;
}

/* Checks all options before getopt does, which would refuse a wrong one without advice. `argv` ends with NULL. */
static fcps_status check_options(const parsing *p, int argc, char **argv)
{
  fcps_status status = FCPS_OK;
  for (int i = 1; i < argc && status == FCPS_OK && strcmp(argv[i], "--") != 0; i++)
    if (strncmp(argv[i], "--", 2) == 0)
      status = check_long(p, argv, &i);
    else if (argv[i][0] == '-' && argv[i][1] != '\0')
      status = check_letters(p, argv, &i);
  return status;
}

/* -- argp -- */

static error_t parse(int key, char *text, struct argp_state *state)
{
  parsing *p = state->input;
  const entry *e = find_entry(p, key);
  fcps_status status;
  if (key == ARGP_KEY_ARG)
    status = take_argument(p, text);
  else if (key == ARGP_KEY_END)
    status = check_complete(p);
  else if (e != NULL)
    status = take(p, e, text);
  else
    return ARGP_ERR_UNKNOWN;
  return status == FCPS_OK ? 0 : EINVAL;
}

/* Handles the option -h, which argp does not know. */
static error_t parse_short_help(int key, char *text, struct argp_state *state)
{
  (void)text;
  if (key != 'h') return ARGP_ERR_UNKNOWN;
  /* Prints the help and ends the program, as argp does for --help. */
  argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
  return 0;
}

static const struct argp_option short_options[] = {{NULL, 'h', NULL, OPTION_HIDDEN, NULL, 0}, {0}};
static const struct argp short_help = {.options = short_options, .parser = parse_short_help};
static const struct argp_child children[] = {{&short_help, 0, NULL, 0}, {0}};

/* Appends the name of an argument without an option to the usage line. */
static void add_name(const cli_argument *row, size_t size, char *names)
{
  const size_t used = strlen(names);
  const char *format = row->kind == CLI_ARGUMENT_OPTIONAL ? "%s[%s]"
                       : row->kind == CLI_ARGUMENT_LIST   ? row->is_optional ? "%s[%s...]" : "%s%s..."
                                                          : "%s%s";
  snprintf(names + used, size - used, format, used > 0 ? " " : "", row->name);
}

fcps_status cli_arguments_parse(const cli_argument *table, const char *doc, int argc, char **argv, void *values,
                                fcps_error *error)
{
  parsing p = {.error = error};
  struct argp_option options[MOST_ROWS + 1] = {{0}};
  char names[256] = "";
  int count = 0;
  fcps_status status = add_table(&p, table, values, NULL);
  if (status == FCPS_OK) status = check_options(&p, argc, argv);
  if (status != FCPS_OK) return status;
  for (int i = 0; i < p.count; i++) {
    const cli_argument *row = p.entries[i].row;
    if (is_option(row))
      options[count++] = (struct argp_option){row->name,  row->letter != 0 ? row->letter : FIRST_KEY + i,
                                              row->value, row->is_hidden ? OPTION_HIDDEN : 0,
                                              row->help,  p.entries[i].group};
    else
      add_name(row, sizeof names, names);
  }
  const struct argp argp = {.options = options, .parser = parse, .args_doc = names, .doc = doc, .children = children};
  argp_err_exit_status = CLI_EXIT_USAGE;
  argp_parse(&argp, argc, argv, 0, NULL, &p);
  return error->status == FCPS_OK ? check_files(&p) : error->status;
}

/* -- Values: whole numbers, and lists of name=value -- */

fcps_status cli_setting_list_add(cli_setting_list *list, const char *option, const char *text, fcps_error *error)
{
  const char *equals = strchr(text, '=');
  const bool is_word = strcmp(option, "--add-choice") == 0;
  if (equals == NULL || equals == text || equals[1] == '\0') {
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "\"%s\" is not NAME=%s, as in %s %s", text,
                          is_word ? "WORD" : "VALUE", option, is_word ? "gate=ring" : "kappa=0.5");
  }
  if (!fcps_reserve((void **)&list->items, &list->capacity, list->count + 2, sizeof *list->items)) {
    return fcps_error_memory(error);
  }
  char *name = fcps_copy_text(text);
  if (name == NULL) return fcps_error_memory(error);
  name[equals - text] = '\0';
  list->items[list->count++] = (fcps_setting){.name = name, .value = name + (equals - text) + 1};
  return FCPS_OK;
}

void cli_setting_list_destroy(cli_setting_list *list)
{
  for (size_t i = 0; i < list->count; i++)
    free((char *)list->items[i].name);
  free(list->items);
  *list = (cli_setting_list){0};
}

fcps_status cli_option_integer(const char *option, const char *text, int64_t lower, int64_t upper, int64_t *value,
                               fcps_error *error)
{
  const size_t sign = strspn(text, "+-") == 1 ? 1 : 0;
  const bool has_digits = text[sign] != '\0' && text[sign + strspn(text + sign, "0123456789")] == '\0';
  const bool is_read = fcps_integer_read(text, value);
  if (!is_read && !has_digits) {
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "\"%s\" is not a whole number", text);
  }
  if (is_read && *value >= lower && *value <= upper) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_BOUNDS, option,
                        "%s is out of range; give a number from %" PRId64 " to %" PRId64, text, lower, upper);
}

fcps_status cli_option_budget(const char *option, const char *text, void *value, fcps_error *error)
{
  double *budget = value;
  if (fcps_number_read(text, budget) && *budget > 0.0 && isfinite(*budget)) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "\"%.40s\" is not a budget; give a number above 0", text);
}
