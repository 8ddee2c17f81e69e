/* SPDX-License-Identifier: Apache-2.0 */
/* The one way in which files are written. An output is written under a name of its own beside its target, synced, and
 * renamed: whoever looks, or whatever kills the process, finds the old file or the new one, never a part. A study, and
 * what lies beside a study and belongs to it, is never replaced, by whatever name or link it is called. */
#ifndef FCPS_FORMAT_OUTPUT_H
#define FCPS_FORMAT_OUTPUT_H

#include <fcps/base.h>

#include <stdio.h>

typedef struct fcps_output fcps_output;

/* Whether `path` may be written to, for refusing before long work; opening checks it again. FCPS_ERR_ARGUMENT: it is a
 * study or belongs to one. FCPS_ERR_IO: it is there, but not readable or not writable. */
fcps_status fcps_output_check(const char *path, fcps_error *error);

/* Whether two paths lead to the same file, which need not exist yet. */
bool fcps_output_is_same(const char *a, const char *b);

/* Begins an output. A link stays a link: what it points to is replaced. A device, a pipe, and the file that standard
 * output or standard error goes to, are written directly. */
fcps_status fcps_output_open(fcps_output **output, const char *path, fcps_error *error);

FILE *fcps_output_stream(fcps_output *output);

/* For another program that writes the file itself: the name it shall write to. It has the ending of the target. */
const char *fcps_output_place(const fcps_output *output);

/* Gives what was written so far its name. The stream stays open: rows that are added and flushed later are added to
 * the file under its name. */
fcps_status fcps_output_publish(fcps_output *output, fcps_error *error);

/* Ends an output. Where `status`, that of writing it, is FCPS_OK it is published; otherwise the old file stays and what
 * was written is removed, unless it was published before. Returns the first failure. NULL is allowed. */
fcps_status fcps_output_finish(fcps_output *output, fcps_status status, fcps_error *error);

#endif
