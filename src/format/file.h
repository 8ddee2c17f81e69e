/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files: each is read at once, and replaced so that a reader sees the old file or the new one, never a part. */
#ifndef FCPS_FORMAT_FILE_H
#define FCPS_FORMAT_FILE_H

#include <fcps/base.h>

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/* Reads a whole file into `*text`, which ends with a 0 and which the caller frees with fcps_free. Refuses files over
 * `limit` bytes. */
fcps_status fcps_file_read(const char *path, size_t limit, char **text, size_t *length, fcps_error *error);

/* The same, but only for a regular file. Use it if somebody else wrote the path: it could name a pipe or a device,
 * which may never end. */
fcps_status fcps_file_read_regular(const char *path, size_t limit, char **text, size_t *length, fcps_error *error);

/* Writes a file beside `path`, syncs it and renames it to `path`. After a failure the old file is unchanged. A file
 * that drafts protect (below) is not replaced. */
fcps_status fcps_file_replace(const char *path, const char *text, size_t length, fcps_error *error);

/* Makes a new file of a text, whole or not at all. If the name is taken, *is_taken is true and nothing was written. It
 * replaces no file, so it may also make files that belong to a study. */
fcps_status fcps_file_create(const char *path, const char *text, size_t length, bool *is_taken, fcps_error *error);

/* Writes DIRECTORY/NAME to `path`. Fails if the result does not fit into `size` bytes. */
fcps_status fcps_file_join(const char *directory, const char *name, size_t size, char *path, fcps_error *error);

/* Creates a directory and its parents. Does nothing if they exist. */
fcps_status fcps_file_make_directory(const char *path, fcps_error *error);

/* Tells whether a path is a name followed by this ending, such as ".svg". */
bool fcps_file_ends_with(const char *path, const char *ending);

/* -- Files that somebody has written by hand, which no output may replace -- */

/* Tells whether the file at a path is a problem file. Its content decides, not its name. */
bool fcps_source_file_is_problem(const char *path);

/* Tells whether the file at a path is a program, or another text that people write and fcps does not. It is known by
 * its ending (simulate.py, notes.md) or by its first bytes. An empty file does not count. */
bool fcps_source_file_is_written(const char *path);

/* -- Drafts (draft.c) -- */

/* All files are written in this way. A draft is written under a name of its own beside its target, synced, and
 * published by renaming it. So a reader finds the old file or the new one, never a part, even after a kill. A study, a
 * file that belongs to a study and a problem file are never replaced, whatever name or link leads to them. */

typedef struct fcps_draft fcps_draft;

/* Tells whether `path` may be written. Call it before long work; opening the draft checks again. FCPS_ERR_ARGUMENT: the
 * file is a study, belongs to one, or is a problem file. FCPS_ERR_IO: the file exists, but cannot be read or
 * written. */
fcps_status fcps_draft_check(const char *path, fcps_error *error);

/* Tells whether two paths lead to the same file. The file need not exist yet. */
bool fcps_draft_is_same(const char *a, const char *b);

/* Begins a draft. If `path` is a link it stays one, and the file that it leads to is replaced. A device, a pipe, and
 * the file to which standard output or standard error goes, are written directly. */
fcps_status fcps_draft_open(fcps_draft **draft, const char *path, fcps_error *error);

FILE *fcps_draft_stream(fcps_draft *draft);

/* The name to which another program shall write the draft. It has the ending of the target. */
const char *fcps_draft_place(const fcps_draft *draft);

/* Gives the draft its final name, with what was written so far. The stream stays open: rows that are written and
 * flushed later go to the file under its final name. */
fcps_status fcps_draft_publish(fcps_draft *draft, fcps_error *error);

/* Ends a draft. `status` is the status of writing it. If that is FCPS_OK, the draft is published. Otherwise the old
 * file stays and the draft is removed, unless it was published before. Returns the first failure. `draft` may be
 * NULL. */
fcps_status fcps_draft_finish(fcps_draft *draft, fcps_status status, fcps_error *error);

/* -- New files -- */

/* A new file is written beside its target, and gets the target's name when it is whole.
 *
 * Its name is TARGET.new-PID-N, followed once more by the ending of the target. It is locked while its writer lives. So
 * the unfinished file of a killed writer is known by its name and its free lock. */

/* Removes the unfinished files of killed writers beside the target, and opens a new file there for writing, whose name
 * it writes to `beside`. Returns its descriptor; -1, with errno, if that fails. (mkstemp would make the file unreadable
 * for others.) */
int fcps_new_file_open(const char *target, char beside[PATH_MAX]);

#endif
