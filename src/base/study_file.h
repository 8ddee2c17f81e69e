/* SPDX-License-Identifier: Apache-2.0 */
/* Tells from the first bytes of a file whether it is a study: the header of a study has a number of ours. The store
 * asks before it opens a file, and everything that writes files asks before it replaces one. */
#ifndef FCPS_BASE_STUDY_FILE_H
#define FCPS_BASE_STUDY_FILE_H

#include <stdbool.h>
#include <sys/types.h>

/* The application id in the header of every study: "fcps" in ASCII. */
#define FCPS_STUDY_FILE_ID 0x66637073

enum { FCPS_STUDY_FILE_HEAD = 100 }; /* the number of bytes in the header */

typedef enum fcps_recognized {
  FCPS_RECOGNIZED_ABSENT,
  FCPS_RECOGNIZED_EMPTY, /* a regular file without bytes, perhaps from an interrupted creation of a study */
  FCPS_RECOGNIZED_STUDY,
  FCPS_RECOGNIZED_DATABASE,  /* a file that begins like a study or has the name of one, and may be a damaged study */
  FCPS_RECOGNIZED_OTHER,     /* another file, or a folder, a device or a pipe */
  FCPS_RECOGNIZED_UNREADABLE /* errno says why */
} fcps_recognized;

/* Tells whether the header is that of a study. */
bool fcps_recognize_head(const unsigned char head[FCPS_STUDY_FILE_HEAD]);

/* Tells what lies at a path. Links are followed, and only regular files are opened. If this process has the file open
 * as a study, that is known without opening it: closing it again would drop the locks that SQLite has on it. */
fcps_recognized fcps_recognize_file(const char *path);

/* Tells whether a file with this name belongs to a study beside it, as "throw.fcps-journal" does. */
bool fcps_recognize_companion(const char *path);

/* -- The study files that this process has open -- */

/* The files of studies that this process has open, by device and inode.
 *
 * POSIX locks belong to the process and to the inode: if a process closes any descriptor of a file, it loses all its
 * locks on this file, also those that SQLite took through another descriptor [sqlitecorrupt2022, Sec. 2.2]. So one
 * descriptor of a file is opened here before SQLite opens the file. All handles of this process share the descriptor,
 * and it is closed after the last of them. Before a caller opens a file only to look at it, it checks whether the file
 * is listed.
 *
 * The list is the only state that the library keeps for the whole process, because the locks also belong to the
 * process. It is empty, and holds no memory, while no study file is open. All functions may be called from several
 * threads. */

typedef struct fcps_open_file {
  dev_t device;
  ino_t inode;
  int file;         /* for reading the file, and for locks of the open file description; only this room may close it */
  bool is_writable; /* `file` was opened for reading and writing */
} fcps_open_file;

/* Lists the regular file `path` once more, and describes it in `file`. Returns false, with errno, if it cannot be read;
 * errno is EINVAL if it is not a regular file. */
bool fcps_open_files_add(const char *path, fcps_open_file *file);

/* Takes one listing back. The handle must first close everything else that it has open of the file. */
void fcps_open_files_drop(const fcps_open_file *file);

/* Claims the file for one handle, whatever name the file has now. Returns false if another handle, of this process or
 * another, has claimed it. A file that cannot be written needs no claim: true. The claim is a lock of the shared
 * descriptor, so a forked process that keeps the descriptor keeps the claim. */
bool fcps_open_files_claim(const fcps_open_file *file);
void fcps_open_files_unclaim(const fcps_open_file *file);

/* Saves the content of a file that has lost its last name, as the new file `path`. That is done once for all handles: a
 * handle that comes later only learns the name. The caller frees *saved, which is the name, or NULL if the content
 * could not be saved. */
void fcps_open_files_rescue(const fcps_open_file *file, const char *path, char **saved);

/* Tells whether this process has the file open. */
bool fcps_open_files_have(dev_t device, ino_t inode);

#endif
