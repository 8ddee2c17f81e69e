/* SPDX-License-Identifier: Apache-2.0 */
/* CSV: every form of a cell, every malformed table, and tables that are written and read back. */
#include "format/csv.h"

#include "check.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads a text through a file that is gone afterwards; `path` (PATH_SIZE, may be NULL) receives its name. */
enum { PATH_SIZE = 32 };
static fcps_status read_text(fcps_csv *csv, const char *text, size_t length, char *path, fcps_error *error)
{
  char name[PATH_SIZE] = "/tmp/fcps-csv-XXXXXX";
  const int file = mkstemp(name);
  assert_true(file >= 0);
  assert_int_equal(write(file, text, length), length);
  assert_int_equal(close(file), 0);
  const fcps_status status = fcps_csv_read_file(csv, name, error);
  unlink(name);
  if (path != NULL) memcpy(path, name, sizeof name);
  return status;
}

static fcps_csv parse(const char *text)
{
  fcps_csv csv = {0};
  fcps_error error;
  if (read_text(&csv, text, strlen(text), NULL, &error) != FCPS_OK) fail_msg("%s: %s", text, error.message);
  return csv;
}

static void a_table_has_names_cells_and_lines(void **state)
{
  (void)state;
  const char *text = "x,y,note\n1,2,a\n\n3,4,b\n";
  char path[PATH_SIZE];
  fcps_csv csv;
  assert_ok(read_text(&csv, text, strlen(text), path, NULL));
  assert_int_equal(csv.rows, 2);
  assert_int_equal(csv.columns, 3);
  assert_string_equal(csv.header[2], "note");
  assert_int_equal(fcps_csv_column(&csv, "y"), 1);
  assert_int_equal(fcps_csv_column(&csv, "z"), -1);
  assert_string_equal(fcps_csv_cell(&csv, 1, 2), "b");
  assert_int_equal(csv.lines[0], 2);
  assert_int_equal(csv.lines[1], 4);
  assert_string_equal(csv.file, path);
  fcps_csv_destroy(&csv);
  assert_null(csv.header);
  fcps_csv_destroy(&csv);
  fcps_csv_destroy(NULL);
}

/* All cells of `text`, the header among them, against `expected`, separated by '|'. */
static void assert_cells(const char *text, const char *expected)
{
  fcps_csv csv = parse(text);
  char joined[256] = "";
  for (int i = 0; i < csv.columns * (csv.rows + 1); i++) {
    if (i > 0) strcat(joined, "|");
    strcat(joined, csv.header[i]);
  }
  assert_string_equal(joined, expected);
  fcps_csv_destroy(&csv);
}

static void every_way_to_write_a_cell_is_understood(void **state)
{
  (void)state;
  assert_cells("a,b\r\n1,2\r\n", "a|b|1|2");
  assert_cells("a,b\n1,2", "a|b|1|2");
  assert_cells("a,b\r\n1,2", "a|b|1|2");
  assert_cells("a,b\r1,2\r", "a|b|1|2"); /* only if the text has no LF */
  assert_cells("a,b\n1,2\n,\n , \n", "a|b|1|2");
  assert_cells("a;b;c\n1;2;3\n;;\n;\n4;5;6\n; \n", "a|b|c|1|2|3||||4|5|6"); /* a shorter one is not valid */
  assert_cells("sep=;\na;b\n1,5;2\n", "a|b|1,5|2");
  assert_cells("\xEF\xBB\xBFsep=,\r\na,b\r\n1,2\r\n", "a|b|1|2");
  assert_cells("sep=x\n1\n", "sep=x|1"); /* a name like another */
  assert_cells("\xEF\xBB\xBF"
               "a,b\n1,2\n",
               "a|b|1|2");
  assert_cells("\n\na,b\n1,2\n\n\n", "a|b|1|2");
  assert_cells("a,b\n\"1,5\",\"say \"\"hi\"\"\"\n", "a|b|1,5|say \"hi\"");
  assert_cells("a,b\n\"two\nlines\",\"\"\n", "a|b|two\nlines|");
  assert_cells("a,b\n\"cr\r\nlf\",x\n", "a|b|cr\r\nlf|x");
  assert_cells("a, b\n 1 ,\t2 \n", "a|b|1|2");
  assert_cells("a,b\n \" 1 \" , \"2\" \n", "a|b| 1 |2");
  assert_cells("a,b\n,\n1,", "a|b|||1|");
  assert_cells("a b,c\rd\nx y,z\n", "a b|c\rd|x y|z");
  assert_cells("a,b\n\"\"\"\"\"\",2", "a|b|\"\"|2");
  assert_cells("a,b", "a|b");
  assert_cells("a\n1\n\n3\n", "a|1||3"); /* one column: an empty line is an empty cell */
  assert_cells("\"a,b\",\"c\"\n", "a,b|c");
}

static void the_line_of_a_row_counts_lines_inside_quotes(void **state)
{
  (void)state;
  fcps_csv csv = parse("a,b\n\"1\n\n\",2\n3,4\n");
  assert_int_equal(csv.lines[0], 2);
  assert_int_equal(csv.lines[1], 5);
  fcps_csv_destroy(&csv);
}

static void every_malformed_table_is_refused_with_its_line(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    size_t length;
    int line;
    const char *words;
  } cases[] = {
      {"", 0, 0, "empty"},
      {"\n \n", 1, 0, "empty"},
      {"\xEF\xBB\xBF", 3, 0, "empty"},
      {"a,b\n1,2\n1\n", 10, 3, "1 cells, but the header has 2"},
      {"a,b\n1,2,3\n", 10, 2, "3 cells, but the header has 2"},
      {"a,b\n,,\n", 7, 2, "3 cells, but the header has 2"},
      {"a,b\n1,\"2\n3,4\n", 13, 2, "never closed"},
      {"a,b\n1,\"2\"x\n", 11, 2, "closing quote"},
      {"a,b\n1,2\"x\n", 10, 2, "inside a cell"},
      {"a,b,a\n1,2,3\n", 12, 1, "columns 1 and 3"},
      {"a,b\n1,\0\n", 8, 0, "byte 7"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    fcps_csv csv = {.rows = -1};
    fcps_error error;
    char path[PATH_SIZE];
    assert_status(read_text(&csv, cases[i].text, cases[i].length, path, &error), FCPS_ERR_FORMAT);
    assert_int_equal(csv.rows, -1); /* untouched */
    assert_string_equal(error.file, path);
    assert_int_equal(error.line, cases[i].line);
    if (strstr(error.message, cases[i].words) == NULL) fail_msg("\"%s\" lacks \"%s\"", error.message, cases[i].words);
  }
}

static void numbers_are_read_and_others_refused_with_line_and_column(void **state)
{
  (void)state;
  fcps_csv csv = parse("x,y\n1.5, -2e3 \n1,\n1,\"1,5\"\n");
  fcps_error error;
  double value = 99;
  assert_ok(fcps_csv_number(&csv, 0, 0, &value, &error));
  assert_true(value == 1.5);
  assert_ok(fcps_csv_number(&csv, 0, 1, &value, &error));
  assert_true(value == -2000);
  assert_status(fcps_csv_number(&csv, 1, 1, &value, &error), FCPS_ERR_FORMAT);
  assert_int_equal(error.line, 3);
  assert_string_equal(error.field, "y");
  assert_string_equal(error.file, csv.file);
  assert_non_null(strstr(error.message, "empty"));
  assert_status(fcps_csv_number(&csv, 2, 1, &value, &error), FCPS_ERR_FORMAT);
  assert_int_equal(error.line, 4);
  assert_non_null(strstr(error.message, "\"1,5\" is not a number"));
  assert_true(value == -2000);
  fcps_csv_destroy(&csv);
}

/* A point before three digits means thousands if another column has decimal commas, and the other way round. */
static void marks_that_may_group_thousands_are_refused_by_column(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    int line; /* the line that is refused; 0: the file is read */
    double value;
    const char *words;
  } cases[] = {
      {"a;b\n1,5;885\n2,5;1.060\n", 3, 0, "\"1.060\""},
      {"a;b\n1,5;885\n2,5;1.060\n", 3, 0, "decimal commas (\"1,5\" in column 'a')"},
      {"a;b\n1,5;-1.060\n", 2, 0, "without thousands"},
      {"a;b\n1,234;1.060\n", 2, 0, "\"1.060\""},
      {"a\tb\n1.5\t1,060\n", 2, 0, "decimal points (\"1.5\" in column 'a')"},
      {"a;b\n1,5;1.060\n2,5;1.06\n", 0, 1.06, ""}, /* other points say that they are decimal ones */
      {"a;b\n1,5;0.125\n", 0, 0.125, ""},          /* no thousands begin with 0 */
      {"a;b\n1,5;1.060e3\n", 0, 1060, ""},
      {"a;b\n15;1.060\n", 0, 1.06, ""},
      {"a;b\n1,234;2,345\n", 0, 2.345, ""},
      {"note;b\n1,5 bar;1.060\n", 0, 1.06, ""}, /* a cell that is not a number decides nothing */
      {"a,b\n1.5,1.060\n", 0, 1.06, ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fcps_csv csv = parse(cases[i].text);
    fcps_error error;
    double value = 99;
    const fcps_status status = fcps_csv_number(&csv, 0, 1, &value, &error);
    if (cases[i].line == 0) {
      assert_ok(status);
      assert_true(value == cases[i].value);
    } else {
      assert_status(status, FCPS_ERR_FORMAT);
      assert_int_equal(error.line, cases[i].line);
      assert_string_equal(error.field, "b");
      if (strstr(error.message, cases[i].words) == NULL) fail_msg("\"%s\" lacks \"%s\"", error.message, cases[i].words);
    }
    fcps_csv_destroy(&csv);
  }
  fcps_csv csv = parse("a,b\n1,\"1,060\"\n");
  fcps_error error;
  double value;
  assert_status(fcps_csv_number(&csv, 0, 1, &value, &error), FCPS_ERR_FORMAT);
  assert_non_null(strstr(error.message, "without a thousands separator"));
  fcps_csv_destroy(&csv);
}

static void many_rows_are_read(void **state)
{
  (void)state;
  enum { ROWS = 20000 };
  char *text = malloc(ROWS * 16);
  size_t length = (size_t)sprintf(text, "i,square\n");
  for (int i = 0; i < ROWS; i++)
    length += (size_t)sprintf(text + length, "%d,%d\n", i, i % 1000);
  fcps_csv csv;
  assert_ok(read_text(&csv, text, length, NULL, NULL));
  assert_int_equal(csv.rows, ROWS);
  for (int i = 0; i < ROWS; i++) {
    double first, second;
    assert_ok(fcps_csv_number(&csv, i, 0, &first, NULL));
    assert_ok(fcps_csv_number(&csv, i, 1, &second, NULL));
    assert_true(first == i && second == i % 1000 && csv.lines[i] == i + 2);
  }
  fcps_csv_destroy(&csv);
  free(text);
}

static void what_is_written_is_read_back(void **state)
{
  (void)state;
  static const char *const texts[] = {"plain", "a,b", "say \"hi\"", "two\nlines", " blanks ", "",       "\ttab",
                                      "cr\r",  "\"",  "=1",         "'=1",        "''@a",     "'plain", "-1+2",
                                      "-",     "+",   "'",          "\r=1",       "'\t",      "-5"};
  enum { TEXTS = sizeof texts / sizeof texts[0] };
  char *written;
  size_t length;
  FILE *stream = open_memstream(&written, &length);
  fcps_csv_writer writer = {.stream = stream};
  fcps_csv_write_text(&writer, "text");
  fcps_csv_write_text(&writer, "number");
  fcps_csv_write_text(&writer, "integer");
  fcps_csv_end_row(&writer);
  for (int i = 0; i < TEXTS; i++) {
    fcps_csv_write_text(&writer, texts[i]);
    fcps_csv_write_number(&writer, 0.1 * i);
    fcps_csv_write_integer(&writer, INT64_MIN + i);
    fcps_csv_end_row(&writer);
  }
  fclose(stream);

  fcps_csv csv;
  assert_ok(read_text(&csv, written, length, NULL, NULL));
  assert_int_equal(csv.rows, TEXTS);
  for (int i = 0; i < TEXTS; i++) {
    double value;
    assert_string_equal(fcps_csv_cell(&csv, i, 0), texts[i]);
    assert_ok(fcps_csv_number(&csv, i, 1, &value, NULL));
    assert_true(value == 0.1 * i);
  }
  assert_string_equal(fcps_csv_cell(&csv, 0, 2), "-9223372036854775808");
  fcps_csv_destroy(&csv);
  free(written);
}

static void rows_are_written_as_others_read_them(void **state)
{
  (void)state;
  char *written;
  size_t length;
  FILE *stream = open_memstream(&written, &length);
  fcps_csv_writer writer = {.stream = stream};
  fcps_csv_write_text(&writer, "a \"b\", c");
  fcps_csv_write_number(&writer, NAN);
  fcps_csv_write_number(&writer, 0.1);
  fcps_csv_end_row(&writer);
  fcps_csv_write_number(&writer, -INFINITY);
  fcps_csv_write_integer(&writer, -3);
  fcps_csv_write_text(&writer, "plain");
  fcps_csv_end_row(&writer);
  fclose(stream);
  assert_string_equal(written, "\"a \"\"b\"\", c\",,0.1\n-inf,-3,plain\n");
  free(written);
}

/* A spreadsheet would take these texts for formulas; a number stays a number. */
static void texts_that_look_like_formulas_are_guarded(void **state)
{
  (void)state;
  static const char *const pairs[][2] = {{"=1+1", "'=1+1"},
                                         {"+1+1", "'+1+1"},
                                         {"-x", "'-x"},
                                         {"@sum", "'@sum"},
                                         {"\tx", "\"'\tx\""},
                                         {"'=1", "''=1"},
                                         {"'it", "'it"},
                                         {"-5", "-5"},
                                         {"-inf", "-inf"},
                                         {"+2", "+2"},
                                         {"a=1", "a=1"},
                                         {"a;=1+1", "\"a;=1+1\""},
                                         {"a\t=1+1", "\"a\t=1+1\""},
                                         {"", ""},
                                         {"=\"x\"", "\"'=\"\"x\"\"\""}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    char *written;
    size_t length;
    FILE *stream = open_memstream(&written, &length);
    fcps_csv_writer writer = {.stream = stream};
    fcps_csv_write_text(&writer, pairs[i][0]);
    fclose(stream);
    assert_string_equal(written, pairs[i][1]);
    free(written);
  }
}

static void a_file_is_read_and_a_missing_one_refused(void **state)
{
  (void)state;
  char path[] = "/tmp/fcps-test-csv-XXXXXX";
  const int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  assert_int_equal(write(descriptor, "x\n1\n", 4), 4);
  close(descriptor);
  fcps_csv csv;
  fcps_error error;
  const fcps_status status = fcps_csv_read_file(&csv, path, &error);
  unlink(path);
  assert_ok(status);
  assert_string_equal(csv.file, path);
  assert_int_equal(csv.rows, 1);
  fcps_csv_destroy(&csv);
  assert_status(fcps_csv_read_file(&csv, path, &error), FCPS_ERR_IO);
  assert_string_equal(error.file, path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_table_has_names_cells_and_lines),
      cmocka_unit_test(every_way_to_write_a_cell_is_understood),
      cmocka_unit_test(the_line_of_a_row_counts_lines_inside_quotes),
      cmocka_unit_test(every_malformed_table_is_refused_with_its_line),
      cmocka_unit_test(numbers_are_read_and_others_refused_with_line_and_column),
      cmocka_unit_test(marks_that_may_group_thousands_are_refused_by_column),
      cmocka_unit_test(many_rows_are_read),
      cmocka_unit_test(what_is_written_is_read_back),
      cmocka_unit_test(rows_are_written_as_others_read_them),
      cmocka_unit_test(texts_that_look_like_formulas_are_guarded),
      cmocka_unit_test(a_file_is_read_and_a_missing_one_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
