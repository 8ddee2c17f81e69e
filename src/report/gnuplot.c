/* SPDX-License-Identifier: Apache-2.0 */
/* Runs gnuplot, which reads the script from an unnamed file and writes its messages to another. They are files because
 * a pipe can fill up or break, which would need a signal handler. */
#include "report/gnuplot.h"

#include "base/error.h"
#include "base/number.h"
#include "format/file.h"
#include "format/text.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int spawn_gnuplot(pid_t *child, FILE *input, FILE *complaints)
{
  char *const arguments[] = {"gnuplot", "--default-settings", "-", NULL};
  posix_spawn_file_actions_t actions;
  int failure = posix_spawn_file_actions_init(&actions);
  if (failure) return failure;

  failure = posix_spawn_file_actions_adddup2(&actions, fileno(input), STDIN_FILENO);
  if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, fileno(complaints), STDOUT_FILENO);
  if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, fileno(complaints), STDERR_FILENO);
  if (!failure) failure = posix_spawnp(child, "gnuplot", &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

/* Finds the line of gnuplot's messages that names the mistake: the first one with a line number, or else the last
 * one. */
static void first_complaint(FILE *complaints, size_t size, char *text)
{
  rewind(complaints);
  text[0] = '\0';
  char line[256];
  while (fgets(line, sizeof line, complaints) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (strspn(line, " \t^") == strlen(line)) continue;
    snprintf(text, size, "%.200s", line + strspn(line, " \t"));
    if (strstr(line, "line ") != NULL) break;
  }
}

static fcps_status wait_for(pid_t child, FILE *complaints, fcps_error *error)
{
  int outcome = 0;
  while (waitpid(child, &outcome, 0) < 0) {
    if (errno != EINTR) return fcps_error_set(error, FCPS_ERR_PROGRAM, "gnuplot", "cannot be waited for");
  }
  if (WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0) return FCPS_OK;
  char complaint[256];
  first_complaint(complaints, sizeof complaint, complaint);
  const bool is_storage = strstr(complaint, "cannot open file") != NULL;
  return fcps_error_set(error, is_storage ? FCPS_ERR_IO : FCPS_ERR_PROGRAM, "gnuplot",
                        "the figure could not be drawn: %s",
                        complaint[0] ? complaint : "gnuplot was ended by a signal");
}

static fcps_status run_with_files(const char *script, size_t length, FILE *input, FILE *complaints, fcps_error *error)
{
  if (fwrite(script, 1, length, input) != length || fflush(input) != 0) {
    return fcps_error_set(error, FCPS_ERR_IO, "gnuplot", "a temporary file cannot be written: %s", strerror(errno));
  }
  rewind(input);

  pid_t child;
  const int failure = spawn_gnuplot(&child, input, complaints);
  if (failure == ENOENT) {
    return fcps_error_set(error, FCPS_ERR_UNAVAILABLE, "gnuplot",
                          "figures are drawn by gnuplot, which is not installed; install it (Debian: apt install "
                          "gnuplot-nox)");
  }
  if (failure) return fcps_error_set(error, FCPS_ERR_PROGRAM, "gnuplot", "cannot be started: %s", strerror(failure));
  return wait_for(child, complaints, error);
}

fcps_status fcps_gnuplot_run(const char *script, size_t length, fcps_error *error)
{
  FILE *input = tmpfile(), *complaints = tmpfile();
  const fcps_status status =
      input != NULL && complaints != NULL
          ? run_with_files(script, length, input, complaints, error)
          : fcps_error_set(error, FCPS_ERR_IO, "gnuplot", "a temporary file cannot be created: %s", strerror(errno));
  if (input != NULL) fclose(input);
  if (complaints != NULL) fclose(complaints);
  return status;
}

fcps_status fcps_gnuplot_begin(fcps_gnuplot_script *script, fcps_error *error)
{
  *script = (fcps_gnuplot_script){0};
  script->stream = open_memstream(&script->text, &script->length);
  return script->stream != NULL ? FCPS_OK : fcps_error_memory(error);
}

/* Checks that a picture is complete, because gnuplot does not report a full disk. */
static fcps_status check_picture(const char *path, fcps_error *error)
{
  static const char *const ends[] = {"</svg>", "IEND"};
  char tail[64] = {0};
  struct stat info;
  /* a device or a pipe was written directly, and has no end to check */
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) return FCPS_OK;
  FILE *file = fopen(path, "re");
  if (file == NULL) return fcps_error_at(error, FCPS_ERR_IO, path, 0, 0, NULL, "the picture was not written");
  const long skipped = info.st_size > (long)sizeof tail ? (long)info.st_size - (long)sizeof tail : 0;
  const size_t length = fseek(file, skipped, SEEK_SET) == 0 ? fread(tail, 1, sizeof tail, file) : 0;
  fclose(file);
  bool is_whole = false;
  for (size_t e = 0; e < sizeof ends / sizeof *ends; e++)
    for (size_t i = 0; i + strlen(ends[e]) <= length; i++)
      is_whole = is_whole || memcmp(tail + i, ends[e], strlen(ends[e])) == 0;
  if (is_whole) return FCPS_OK;
  return fcps_error_at(error, FCPS_ERR_IO, path, 0, 0, NULL,
                       "the picture is incomplete; make room on the disk and try again");
}

fcps_status fcps_gnuplot_finish(fcps_gnuplot_script *script, fcps_status status, fcps_error *error)
{
  const bool has_failed = ferror(script->stream) != 0;
  if ((fclose(script->stream) != 0 || has_failed) && status == FCPS_OK) status = fcps_error_memory(error);
  if (status == FCPS_OK) status = fcps_gnuplot_run(script->text, script->length, error);
  for (int i = 0; i < script->output_count && status == FCPS_OK; i++)
    status = check_picture(fcps_draft_place(script->outputs[i]), error);
  for (int i = 0; i < script->output_count; i++)
    status = fcps_draft_finish(script->outputs[i], status, error);
  free(script->text);
  return status;
}

/* Doubles a quote and leaves out a line break. Returns whether it handled the character. */
static bool escape(FILE *script, char c)
{
  if (c == '\'') fputs("\'\'", script);
  return c == '\'' || c == '\n';
}

void fcps_gnuplot_text(FILE *script, const char *text)
{
  fputc('\'', script);
  fcps_utf8_write_xml(script, text, escape);
  fputc('\'', script);
}

/* Writes a path as a gnuplot string, with all bytes unchanged. */
static void write_path(FILE *script, const char *path)
{
  fputc('\'', script);
  for (; *path; path++)
    if (!escape(script, *path)) fputc(*path, script);
  fputc('\'', script);
}

void fcps_gnuplot_number(FILE *script, double value)
{
  char text[FCPS_NUMBER_SIZE];
  fputs(isnan(value) ? "NaN" : fcps_number_write(value, text), script);
}

fcps_status fcps_gnuplot_check_path(const char *path, fcps_error *error)
{
  if (fcps_file_ends_with(path, ".svg") || fcps_file_ends_with(path, ".png")) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "output", "\"%s\" must end with .svg or .png", path);
}

fcps_status fcps_gnuplot_output(fcps_gnuplot_script *script, const char *path, int width, int height, fcps_error *error)
{
  fcps_status status = fcps_gnuplot_check_path(path, error);
  if (status == FCPS_OK && script->output_count == FCPS_GNUPLOT_OUTPUTS)
    status =
        fcps_error_set(error, FCPS_ERR_INTERNAL, "output", "a script draws at most %d pictures", FCPS_GNUPLOT_OUTPUTS);
  if (status != FCPS_OK) return status;
  fcps_draft **output = &script->outputs[script->output_count];
  status = fcps_draft_open(output, path, error);
  if (status != FCPS_OK) return status;
  script->output_count++;
  if (strchr(fcps_draft_place(*output), '\n') != NULL)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "output",
                          "gnuplot cannot write to a name with a line break; choose another name");
  fprintf(script->stream, "set terminal %s noenhanced size %d,%d font 'DejaVu Sans,11' background rgb 'white'\n",
          fcps_file_ends_with(path, ".svg") ? "svg" : "pngcairo", width, height);
  fputs("set output ", script->stream);
  write_path(script->stream, fcps_draft_place(*output));
  fputc('\n', script->stream);
  return FCPS_OK;
}

/* -- Style -- */

/* The common style as gnuplot commands, and the table of line styles. */

void fcps_style_write(FILE *script)
{
  fputs("set encoding utf8\n"
        "set border 3 linecolor rgb '#909090' linewidth 1\n"
        "set tics nomirror out scale 0.6 textcolor rgb '" FCPS_COLOUR_INK "'\n"
        "set grid linecolor rgb '#e4e4e4' linetype 1 linewidth 0.8\n"
        "set key textcolor rgb '" FCPS_COLOUR_INK "'\n"
        /* the palette viridis [smith2015]: its lightness grows evenly, from dark to light */
        "set palette defined (0 '#440154', 1 '#482878', 2 '#3e4a89', 3 '#31688e', 4 '#26828e', 5 '#1f9e89', "
        "6 '#35b779', 7 '#6ece58', 8 '#b5de2b', 9 '#fde725')\n",
        script);
}

const fcps_line_style *fcps_style_line(int index)
{
  static const fcps_line_style styles[FCPS_LINE_STYLES] = {
      {FCPS_COLOUR_BLUE, 7}, {FCPS_COLOUR_ORANGE, 5}, {"#009e73", 9}, {"#cc79a7", 13},       {"#e69f00", 11},
      {"#56b4e9", 6},        {"#8c6d31", 8},          {"#8a8a8a", 4}, {FCPS_COLOUR_INK, 15}, {"#5e3c99", 12}};
  return &styles[(unsigned)index % FCPS_LINE_STYLES]; /* a number from a file may be negative */
}
