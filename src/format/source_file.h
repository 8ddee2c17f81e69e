/* SPDX-License-Identifier: Apache-2.0 */
/* Files that somebody has written by hand, which no output may replace. */
#ifndef FCPS_FORMAT_SOURCE_FILE_H
#define FCPS_FORMAT_SOURCE_FILE_H

#include <stdbool.h>

/* Whether there is a problem file, by what it says, whatever its name. */
bool fcps_source_file_is_problem(const char *path);

/* Whether there is a program, or another text that people write and fcps does not: by its ending (simulate.py, notes.md) or
 * by its first bytes. An empty file is none. */
bool fcps_source_file_is_written(const char *path);

#endif
