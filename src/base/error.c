/* SPDX-License-Identifier: Apache-2.0 */
/* Errors as values, and messages to a log. A text is cut to the size of its field, between two characters of UTF-8. */
#include "base/error.h"

#include "base/memory.h"

#include <fcps/base.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints into `text` and cuts off what does not fit. The cut is between two characters, never inside one: error texts
 * are passed on in JSON, which must be UTF-8. */
__attribute__((format(printf, 3, 0))) static void print_list(size_t size, char *text, const char *format,
                                                             va_list arguments)
{
  const int length = vsnprintf(text, size, format, arguments);
  if (length < 0) text[0] = 0;
  if (length < 0 || (size_t)length < size) return;

  size_t end = size - 1, start = end;
  while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
    start--;
  if (start == 0) return;
  const unsigned char lead = (unsigned char)text[start - 1];
  const size_t whole = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  if (end - (start - 1) < whole) text[start - 1] = 0;
}

__attribute__((format(printf, 3, 4))) static void print(size_t size, char *text, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  print_list(size, text, format, arguments);
  va_end(arguments);
}

/* Builds the error in a local copy, because the old message of `error` may be among the arguments. */
__attribute__((format(printf, 7, 0))) static fcps_status fill(fcps_error *error, fcps_status status, const char *file,
                                                              int line, int column, const char *field,
                                                              const char *format, va_list arguments)
{
  if (error == NULL) return status;
  fcps_error made = {.status = status, .line = line, .column = column};
  print(sizeof made.field, made.field, "%s", field != NULL ? field : "");
  print(sizeof made.file, made.file, "%s", file != NULL ? file : "");
  print_list(sizeof made.message, made.message, format, arguments);
  *error = made;
  return status;
}

fcps_status fcps_error_set(fcps_error *error, fcps_status status, const char *field, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fill(error, status, NULL, 0, 0, field, format, arguments);
  va_end(arguments);
  return status;
}

fcps_status fcps_error_at(fcps_error *error, fcps_status status, const char *file, int line, int column,
                          const char *field, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fill(error, status, file, line, column, field, format, arguments);
  va_end(arguments);
  return status;
}

fcps_status fcps_error_null(fcps_error *error, const char *field)
{
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, field, "must not be NULL");
}

fcps_status fcps_error_memory(fcps_error *error)
{
  return fcps_error_set(
      error, FCPS_ERR_MEMORY, NULL,
      "out of memory; free some, raise the limit of the process (ulimit -v), or ask for less at once");
}

char *fcps_error_format(const fcps_error *error, size_t size, char *text)
{
  if (size == 0 || text == NULL) return text;
  text[0] = 0;
  if (error == NULL) return text;

  /* where the error is: file, file:line or file:line:column */
  char position[sizeof error->file + 32] = "";
  if (error->file[0] && error->line > 0 && error->column > 0)
    print(sizeof position, position, "%s:%d:%d: ", error->file, error->line, error->column);
  else if (error->file[0] && error->line > 0)
    print(sizeof position, position, "%s:%d: ", error->file, error->line);
  else if (error->file[0])
    print(sizeof position, position, "%s: ", error->file);

  print(size, text, "%s%s%s%s", position, error->field, error->field[0] ? ": " : "",
        error->message[0] ? error->message : fcps_status_text(error->status));
  return text;
}

void fcps_log_say(const fcps_log *log, fcps_log_level level, const char *code, const char *format, ...)
{
  if (log == NULL || log->write == NULL) return;
  char message[1024];
  va_list arguments;
  va_start(arguments, format);
  print_list(sizeof message, message, format, arguments);
  va_end(arguments);
  log->write(log->user, level, code, message);
}

/* -- Texts of the status codes -- */

/* Returns the text of a status, from the one list in <fcps/base.h>. */
const char *fcps_status_text(fcps_status status)
{
  static const char *const texts[] = {
#define STATUS_TEXT(name, text) text,
      FCPS_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
  };
  const int number = (int)status; /* as int, because the enum may be unsigned while a caller's number is negative */
  return number >= 0 && number < FCPS_STATUS_COUNT ? texts[number] : "unknown status";
}

/* -- The version -- */

/* Returns the version. It stands only in CMakeLists.txt. */
const char *fcps_version(void)
{
  return FCPS_VERSION;
}

/* -- Words of a shell: between single quotes only the quote itself is special. It is written as the end of the quoted
 * word, a backslash and the quote, and the beginning of a new quoted word. -- */

static bool is_plain(const char *text)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-";
  if (*text == '\0') return false;
  for (; *text != '\0'; text++)
    if ((unsigned char)*text < 128 && strchr(plain, *text) == NULL) return false;
  return true;
}

const char *fcps_shell_word(const char *text, size_t size, char *room)
{
  static const char quote[] = "'\\''";
  size_t length = 0;
  if (is_plain(text) || size < 3) return text;
  room[length++] = '\'';
  for (const char *c = text; *c != '\0'; c++) {
    const size_t more = *c == '\'' ? strlen(quote) : 1;
    if (length + more + 2 > size) return text;
    memcpy(room + length, *c == '\'' ? quote : c, more);
    length += more;
  }
  room[length++] = '\'';
  room[length] = '\0';
  return room;
}

/* -- "Did you mean": the nearest of some names by edit distance -- */

/* Longer names are not compared. Names of settings, tasks and dimensions are far shorter. */
#define LONGEST_NAME 63

static char lower_case(char letter)
{
  return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

static int least(int a, int b)
{
  return a < b ? a : b;
}

/* Returns the restricted Damerau-Levenshtein distance (optimal string alignment): the least number of insertions,
 * deletions, changes and exchanges of neighbours. Upper and lower case count as equal. */
static int distance(const char *a, const char *b)
{
  const int length_a = (int)strlen(a), length_b = (int)strlen(b);
  int table[LONGEST_NAME + 1][LONGEST_NAME + 1]; /* [i][j]: from the first i letters of a to the first j of b */

  for (int i = 0; i <= length_a; i++) {
    for (int j = 0; j <= length_b; j++) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      const bool same = lower_case(a[i - 1]) == lower_case(b[j - 1]);
      table[i][j] = least(table[i - 1][j - 1] + !same, least(table[i - 1][j], table[i][j - 1]) + 1);
      if (i > 1 && j > 1 && lower_case(a[i - 1]) == lower_case(b[j - 2]) &&
          lower_case(a[i - 2]) == lower_case(b[j - 1]))
        table[i][j] = least(table[i][j], table[i - 2][j - 2] + 1);
    }
  }
  return table[length_a][length_b];
}

const char *fcps_nearest_name(const char *name, int count, const char *const *names)
{
  const size_t length = strlen(name);
  if (length == 0 || length > LONGEST_NAME) return NULL;

  /* one letter in three may be wrong; a name that begins with the given text is also near */
  const int allowed = length >= 6 ? (int)length / 3 : 1;
  const char *nearest = NULL;
  int shortest = 0;
  for (int i = 0; i < count; i++) {
    if (strlen(names[i]) > LONGEST_NAME) continue;
    const int away = distance(name, names[i]);
    const bool near = away <= allowed || strncmp(name, names[i], length) == 0;
    if (near && (nearest == NULL || away < shortest)) {
      nearest = names[i];
      shortest = away;
    }
  }
  return nearest;
}

const char *fcps_nearly_equal_name(const char *name, int count, const char *const *names)
{
  const size_t length = strlen(name);
  const bool may_differ = strpbrk(name, "0123456789") == NULL;
  const char *near = NULL;
  for (int i = 0; i < count && length <= LONGEST_NAME; i++) {
    if (strcmp(name, names[i]) == 0) return NULL;
    const size_t other = strlen(names[i]);
    const int allowed = may_differ && (length >= 4 || other >= 4) ? 1 : 0;
    if (near == NULL && other <= LONGEST_NAME && distance(name, names[i]) <= allowed) near = names[i];
  }
  return near;
}

char *fcps_name_hint(const char *name, int count, const char *const *names, size_t size, char *text)
{
  static const char more[] = ", ...";
  if (size == 0) return text;
  text[0] = 0;
  if (count == 0) return text;

  const char *nearest = fcps_nearest_name(name, count, names);
  int used = nearest != NULL ? snprintf(text, size, "did you mean %s? Choose from: ", nearest)
                             : snprintf(text, size, "choose from: ");
  for (int i = 0; i < count && used >= 0 && (size_t)used < size; i++) {
    /* every name but the last must leave room for ", ..." */
    const size_t needed = strlen(names[i]) + (i > 0 ? 2 : 0) + (i < count - 1 ? sizeof more : 1);
    if ((size_t)used + needed > size) {
      snprintf(text + used, size - (size_t)used, "%s", i > 0 ? more : "...");
      break;
    }
    used += snprintf(text + used, size - (size_t)used, "%s%s", i > 0 ? ", " : "", names[i]);
  }
  return text;
}

/* -- Names that were given twice -- */

/* Equal names are found by sorting, in O(n log n): a table may have 100 000 columns. */

typedef struct named {
  const char *name;
  int index;
} named;

/* Compares by name, then by index, so that equal names become neighbours in their original order. */
static int compare_names(const void *left, const void *right)
{
  const named *a = left, *b = right;
  const int order = strcmp(a->name, b->name);
  return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

bool fcps_duplicate_find(int count, const char *const *names, int *first, int *second)
{
  named *entries = fcps_allocate((size_t)count, sizeof *entries);
  if (entries == NULL) return false;
  for (int i = 0; i < count; i++)
    entries[i] = (named){names[i], i};
  qsort(entries, (size_t)count, sizeof *entries, compare_names);

  *first = *second = -1;
  for (int i = 1; i < count; i++) {
    if (strcmp(entries[i - 1].name, entries[i].name) != 0 || (*second >= 0 && entries[i].index > *second)) continue;
    *first = entries[i - 1].index;
    *second = entries[i].index;
  }
  free(entries);
  return true;
}
