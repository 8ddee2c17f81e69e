/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files: read at once, and replaced so that a reader sees the old file or the new one, never a part. */
#ifndef FCPS_FORMAT_FILE_H
#define FCPS_FORMAT_FILE_H

#include <fcps/base.h>

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/* Reads a whole file into `*text`, which ends with a 0 and is freed with fcps_free. Refuses files over `limit`
 * bytes. */
fcps_status fcps_file_read(const char *path, size_t limit, char **text, size_t *length, fcps_error *error);

/* The same, but of a regular file only: a path that somebody else wrote may name a pipe or a device, which would never end. */
fcps_status fcps_file_read_regular(const char *path, size_t limit, char **text, size_t *length, fcps_error *error);

/* Writes a file beside `path`, syncs it and renames it to `path`. After a failure the old file is still there. A study is
 * not replaced (format/file.h). */
fcps_status fcps_file_replace(const char *path, const char *text, size_t length, fcps_error *error);

/* Makes a new file of a text, whole or not at all. If the name is taken, *is_taken says so, and nothing was written.
 * Unlike the above it also makes files that belong to a study: nothing is replaced. */
fcps_status fcps_file_create(const char *path, const char *text, size_t length, bool *is_taken, fcps_error *error);

/* Writes DIRECTORY/NAME into `path`; an error if it does not fit into `size` bytes. */
fcps_status fcps_file_join(const char *directory, const char *name, size_t size, char *path, fcps_error *error);

/* Creates a directory and its parents, if they do not exist. */
fcps_status fcps_file_make_directory(const char *path, fcps_error *error);

/* Tells whether a path has a name before this ending, such as ".svg". */
bool fcps_file_ends_with(const char *path, const char *ending);

/* -- Files that somebody has written by hand, which no output may replace -- */

/* Tells whether there is a problem file, by what it says, whatever its name. */
bool fcps_source_file_is_problem(const char *path);

/* Tells whether there is a program, or another text that people write and fcps does not: by its ending (simulate.py,
 * notes.md) or by its first bytes. An empty file is not one. */
bool fcps_source_file_is_written(const char *path);

/* -- Drafts (draft.c) -- */

/* The one way in which files are written. A draft is written under a name of its own beside its target, synced,
 * and published by renaming it: a reader finds the old file or the new one, never a part, also after a kill. A
 * study, what lies beside a study and belongs to it, and a problem file are never replaced, by whatever name or
 * link they are called. */

typedef struct fcps_draft fcps_draft;

/* Tells whether `path` may be written to, for refusing before long work; opening checks it again. FCPS_ERR_ARGUMENT:
 * it is a study, belongs to one, or is a problem file. FCPS_ERR_IO: it is there, but not readable or not writable. */
fcps_status fcps_draft_check(const char *path, fcps_error *error);

/* Tells whether two paths lead to the same file, which need not exist yet. */
bool fcps_draft_is_same(const char *a, const char *b);

/* Begins a draft. A link stays a link: what it points to is replaced. A device, a pipe, and the file that standard
 * output or standard error goes to, are written directly. */
fcps_status fcps_draft_open(fcps_draft **draft, const char *path, fcps_error *error);

FILE *fcps_draft_stream(fcps_draft *draft);

/* For another program that writes the file itself: the name it shall write to. It has the ending of the target. */
const char *fcps_draft_place(const fcps_draft *draft);

/* Gives what was written so far its name. The stream stays open: rows that are added and flushed later are added to
 * the file under its name. */
fcps_status fcps_draft_publish(fcps_draft *draft, fcps_error *error);

/* Ends a draft. If `status`, that of writing it, is FCPS_OK it is published; otherwise the old file stays and what
 * was written is removed, unless it was published before. Returns the first failure. NULL is allowed. */
fcps_status fcps_draft_finish(fcps_draft *draft, fcps_status status, fcps_error *error);

/* -- New files -- */

/* A file that is being written beside its target, and gets the target's name when it is whole.
 *
 * It is named TARGET.new-PID-N, with the ending of the target once more at its end, and is locked while its writer
 * lives. What a killed writer left is therefore known by its name and its free lock. */

/* Removes what killed writers left beside the target, and opens a new file there for writing (mkstemp would make it
 * unreadable for others); its name is left in `beside`. -1, with errno, if that fails. */
int fcps_new_file_open(const char *target, char beside[PATH_MAX]);

#endif
