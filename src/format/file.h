/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files: read at once, and replaced so that a reader sees the old file or the new one, never a part. */
#ifndef FCPS_FORMAT_FILE_H
#define FCPS_FORMAT_FILE_H

#include <fcps/base.h>

#include <stdbool.h>

/* Reads a whole file into `*text`, which ends with a 0 and is freed with fcps_free. Refuses files over `limit`
 * bytes. */
fcps_status fcps_file_read(const char *path, size_t limit, char **text, size_t *length, fcps_error *error);

/* The same, but of a regular file only: a path that somebody else wrote may name a pipe or a device, which would never end. */
fcps_status fcps_file_read_regular(const char *path, size_t limit, char **text, size_t *length, fcps_error *error);

/* Writes a file beside `path`, syncs it and renames it to `path`. After a failure the old file is still there. A study is
 * not replaced (format/draft.h). */
fcps_status fcps_file_replace(const char *path, const char *text, size_t length, fcps_error *error);

/* Makes a new file of a text, whole or not at all. If the name is taken, *is_taken says so, and nothing was written.
 * Unlike the above it also makes files that belong to a study: nothing is replaced. */
fcps_status fcps_file_create(const char *path, const char *text, size_t length, bool *is_taken, fcps_error *error);

/* Writes DIRECTORY/NAME into `path`; an error if it does not fit into `size` bytes. */
fcps_status fcps_file_join(const char *directory, const char *name, size_t size, char *path, fcps_error *error);

/* Creates a directory and its parents, if they do not exist. */
fcps_status fcps_file_make_directory(const char *path, fcps_error *error);

/* Whether a path has a name before this ending, such as ".svg". */
bool fcps_file_ends_with(const char *path, const char *ending);

/* -- Files that somebody has written by hand, which no output may replace -- */

/* Whether there is a problem file, by what it says, whatever its name. */
bool fcps_source_file_is_problem(const char *path);

/* Whether there is a program, or another text that people write and fcps does not: by its ending (simulate.py, notes.md) or
 * by its first bytes. An empty file is not one. */
bool fcps_source_file_is_written(const char *path);

#endif
