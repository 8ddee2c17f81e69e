/* SPDX-License-Identifier: Apache-2.0 */
/* What lies at a path, told by the first bytes of the file: a study carries a number of ours in its header. The store
 * asks before it opens a file, and whatever writes a file asks before it replaces one. */
#ifndef FCPS_BASE_STUDY_FILE_H
#define FCPS_BASE_STUDY_FILE_H

#include <stdbool.h>

/* "fcps", the application id in the header of every study */
#define FCPS_STUDY_FILE_ID 0x66637073

enum { FCPS_STUDY_FILE_HEAD = 100 }; /* bytes of the header */

typedef enum fcps_recognized {
  FCPS_RECOGNIZED_ABSENT,
  FCPS_RECOGNIZED_EMPTY, /* a regular file without a byte: the making of a study may have been interrupted */
  FCPS_RECOGNIZED_STUDY,
  FCPS_RECOGNIZED_DATABASE,  /* begins like a study, or is called like one: perhaps a damaged one */
  FCPS_RECOGNIZED_OTHER,     /* another file, a folder, a device, a pipe */
  FCPS_RECOGNIZED_UNREADABLE /* errno says why */
} fcps_recognized;

/* Whether the header is that of a study. */
bool fcps_recognize_head(const unsigned char head[FCPS_STUDY_FILE_HEAD]);

/* Links are followed. Only regular files are opened. A file that this process has open as a study is known without being
 * opened, because closing it would drop the locks that SQLite has on it. */
fcps_recognized fcps_recognize_file(const char *path);

/* Whether the name is that of a file which belongs to a study beside it, such as "throw.fcps-journal". */
bool fcps_recognize_companion(const char *path);

#endif
