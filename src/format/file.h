/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files: read, and replaced so that a reader sees the old or the new one, never half. */
#ifndef FCPS_FORMAT_FILE_H
#define FCPS_FORMAT_FILE_H

#include <fcps/base.h>

/* The contents of a file with a 0 after them; freed with fcps_free. Files over `limit` bytes are refused. */
fcps_status fcps_file_read(const char *path, size_t limit, char **text, size_t *length, fcps_error *error);

/* Writes to a temporary file beside `path`, syncs it and renames it to `path`. */
fcps_status fcps_file_replace(const char *path, const char *text, size_t length, fcps_error *error);

/* Writes DIRECTORY/NAME into `path`; an error where that does not fit `size` bytes. */
fcps_status fcps_file_join(const char *directory, const char *name, size_t size, char *path, fcps_error *error);

/* Creates a directory and its parents; one that exists is fine. */
fcps_status fcps_file_make_directory(const char *path, fcps_error *error);

/* Whether a path has a name before this ending, such as ".svg". */
bool fcps_file_ends_with(const char *path, const char *ending);

#endif
