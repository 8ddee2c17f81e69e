/* SPDX-License-Identifier: Apache-2.0 */
/* What lies at a path, told by the first bytes of the file: a study carries a number of ours in its header. The store
 * asks before it opens a file, and whatever writes a file asks before it replaces one. */
#ifndef FCPS_BASE_STUDY_FILE_H
#define FCPS_BASE_STUDY_FILE_H

#include <stdbool.h>
#include <sys/types.h>

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

/* Tells whether the header is that of a study. */
bool fcps_recognize_head(const unsigned char head[FCPS_STUDY_FILE_HEAD]);

/* Links are followed. Only regular files are opened. A file that this process has open as a study is known without being
 * opened, because closing it would drop the locks that SQLite has on it. */
fcps_recognized fcps_recognize_file(const char *path);

/* Tells whether the name is that of a file which belongs to a study beside it, such as "throw.fcps-journal". */
bool fcps_recognize_companion(const char *path);

/* -- The study files that this process has open -- */

/* Which files of studies this process has open, by device and inode.
 *
 * POSIX locks belong to the process and to the inode: when a process closes any descriptor of a file, it loses all
 * locks that it has on this file, also those that SQLite took through another descriptor [sqlitecorrupt2022, Sec.
 * 2.2]. So one descriptor of a file is opened here before SQLite opens the file, shared by all handles of this
 * process, and closed after the last of them. A caller that opens a file only to look at it first checks whether
 * it is listed.
 *
 * The list is the one state that the library keeps for the whole process: the locks are the process's as well. It is
 * empty, and holds no memory, while no study file is open. All functions may be called from several threads. */

typedef struct fcps_open_file {
  dev_t device;
  ino_t inode;
  int file;         /* to look at the file, and for locks of the open file description; never to be closed by others */
  bool is_writable; /* `file` was opened for writing as well */
} fcps_open_file;

/* Lists the regular file `path` once more, and says what it is. False, with errno, if it cannot be read; EINVAL
 * if it is not a regular file. */
bool fcps_open_files_add(const char *path, fcps_open_file *file);

/* Takes one listing back, after everything else that this handle had open of the file is closed. */
void fcps_open_files_drop(const fcps_open_file *file);

/* Claims the file itself for one handle, under whatever name it has now: false if another handle of this process or
 * another process has claimed it. A file that cannot be written cannot be claimed, and need not be: true. The claim is a
 * lock of the shared descriptor, so a process that is forked and keeps the descriptor keeps the claim. */
bool fcps_open_files_claim(const fcps_open_file *file);
void fcps_open_files_unclaim(const fcps_open_file *file);

/* Saves the content of a file that has lost its last name as the new file `path`, once for all handles: a handle that comes
 * later only learns the name. *saved is that name, to be freed; NULL if it could not be saved. */
void fcps_open_files_rescue(const fcps_open_file *file, const char *path, char **saved);

/* Tells whether this process has the file open. */
bool fcps_open_files_have(dev_t device, ino_t inode);

#endif
