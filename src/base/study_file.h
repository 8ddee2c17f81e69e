/* SPDX-License-Identifier: Apache-2.0 */
/* What lies at a path, told by the first bytes of the file: a study carries a number of ours in its header. The store
 * asks before it opens a file, and whatever writes a file asks before it replaces one. */
#ifndef FCPS_BASE_STUDY_FILE_H
#define FCPS_BASE_STUDY_FILE_H

#include <stdbool.h>

/* "fcps", the application id in the header of every study */
#define FCPS_STUDY_FILE_ID 0x66637073

typedef enum fcps_recognized {
  FCPS_RECOGNIZED_ABSENT,
  FCPS_RECOGNIZED_EMPTY, /* a regular file without a byte: the making of a study may have been interrupted */
  FCPS_RECOGNIZED_STUDY,
  FCPS_RECOGNIZED_OTHER,     /* another file, a folder, a device, a pipe */
  FCPS_RECOGNIZED_UNREADABLE /* errno says why */
} fcps_recognized;

/* Links are followed. Only regular files are opened. Closing a descriptor drops the locks that SQLite of this process
 * has on the same file, so a study that is open in this process must not be given here. */
fcps_recognized fcps_recognize_file(const char *path);

/* Whether the name is that of a file which belongs to a study beside it, such as "throw.fcps-journal". */
bool fcps_recognize_companion(const char *path);

#endif
