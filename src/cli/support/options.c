/* SPDX-License-Identifier: Apache-2.0 */
/* Options of commands: argp reads them, and what it cannot say well is said here. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "cli/support/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPTIONS = 64 };

fcps_status fcps_setting_list_add(fcps_setting_list *list, const char *option, const char *text, fcps_error *error)
{
  const char *equals = strchr(text, '=');
  if (equals == NULL || equals == text || equals[1] == '\0') {
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "\"%s\" is not NAME=VALUE, as in %s kappa=0.5", text,
                          option);
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

void fcps_setting_list_destroy(fcps_setting_list *list)
{
  for (size_t i = 0; i < list->count; i++)
    free((char *)list->items[i].name);
  free(list->items);
  *list = (fcps_setting_list){0};
}

fcps_status fcps_option_integer(const char *option, const char *text, int64_t lower, int64_t upper, int64_t *value,
                                fcps_error *error)
{
  if (!fcps_integer_read(text, value)) {
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "\"%s\" is not a whole number", text);
  }
  if (*value >= lower && *value <= upper) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_BOUNDS, option,
                        "%s is out of range; give a number from %" PRId64 " to %" PRId64, text, lower, upper);
}

static int option_names(const struct argp *argp, const char **names)
{
  int count = 0;
  names[count++] = "help";
  names[count++] = "usage";
  for (const struct argp_option *option = argp->options; option->name != NULL || option->key || option->doc != NULL;
       option++) {
    if (option->name != NULL && count < MOST_OPTIONS) names[count++] = option->name;
  }
  return count;
}

/* Whether an option of this name exists; the beginning of exactly one will do, as getopt has it. */
static bool is_option(const char *name, int count, const char *const *names)
{
  int beginnings = 0;
  for (int i = 0; i < count; i++) {
    if (strcmp(name, names[i]) == 0) return true;
    beginnings += strncmp(name, names[i], strlen(name)) == 0;
  }
  return beginnings == 1;
}

/* getopt would refuse a wrong option too, but without a hint. */
static fcps_status check_option_names(const struct argp *argp, int argc, char **argv, fcps_error *error)
{
  const char *names[MOST_OPTIONS];
  const int count = option_names(argp, names);
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strncmp(argv[i], "--", 2) != 0) continue;
    char name[64], hint[384];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argv[i] + 2, "="), argv[i] + 2);
    if (is_option(name, count, names)) continue;
    return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, argv[i], "there is no such option; %s",
                          fcps_name_hint(name, count, names, sizeof hint, hint));
  }
  return FCPS_OK;
}

/* -h, which argp itself does not know. */
static error_t parse_short_help(int key, char *text, struct argp_state *state)
{
  (void)text;
  if (key != 'h') return ARGP_ERR_UNKNOWN;
  argp_state_help(state, stdout, ARGP_HELP_STD_HELP); /* ends the program */
  return 0;
}

static bool has_letter(const struct argp *argp, int letter)
{
  const struct argp_option *option = argp->options;
  while (option->name != NULL && option->key != letter)
    option++;
  return option->name != NULL;
}

fcps_status fcps_options_parse(const struct argp *argp, int argc, char **argv, void *input, fcps_error *error)
{
  static const struct argp_option short_options[] = {{NULL, 'h', NULL, OPTION_HIDDEN, NULL, 0}, {0}};
  static const struct argp short_help = {.options = short_options, .parser = parse_short_help};
  static const struct argp_child children[] = {{&short_help, 0, NULL, 0}, {0}};
  struct argp whole = *argp;
  fcps_status status = check_option_names(argp, argc, argv, error);
  if (status != FCPS_OK) return status;
  if (!has_letter(argp, 'h')) whole.children = children;
  argp_err_exit_status = FCPS_EXIT_USAGE;
  argp_parse(&whole, argc, argv, 0, NULL, input);
  return error->status;
}
