/* SPDX-License-Identifier: Apache-2.0 */
/* The one way in which files are written. A draft is written under a name of its own beside its target, synced,
 * and published by renaming it: a reader finds the old file or the new one, never a part, also after a kill. A
 * study, what lies beside a study and belongs to it, and a problem file are never replaced, by whatever name or
 * link they are called. */
#ifndef FCPS_FORMAT_DRAFT_H
#define FCPS_FORMAT_DRAFT_H

#include <fcps/base.h>

#include <limits.h>
#include <stdio.h>

typedef struct fcps_draft fcps_draft;

/* Whether `path` may be written to, for refusing before long work; opening checks it again. FCPS_ERR_ARGUMENT: it is a
 * study, belongs to one, or is a problem file. FCPS_ERR_IO: it is there, but not readable or not writable. */
fcps_status fcps_draft_check(const char *path, fcps_error *error);

/* Whether two paths lead to the same file, which need not exist yet. */
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
