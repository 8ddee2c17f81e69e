/* SPDX-License-Identifier: Apache-2.0 */
/* Files: writes a text, such as that of fcps_policy_save, as a file.
 *
 *   fcps_study_export_policy(study, &policy_text, &error);
 *   fcps_file_write("throw.policy", policy_text, &error);
 *   fcps_free(policy_text);
 */
#ifndef FCPS_FORMAT_H
#define FCPS_FORMAT_H

#include <fcps/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a text as a file, whole or not at all: an old file of that name is replaced; after a failure it is
 * unchanged. Links are followed; a device or a pipe is written directly. Returns FCPS_ERR_ARGUMENT if fcps must
 * never overwrite the file: a study (also one that is open here), a file that belongs to a study, a problem file, a
 * program, or another text written by people (simulate.py, notes.md). Returns FCPS_ERR_IO with the system's message
 * if the file cannot be written. */
FCPS_API fcps_status fcps_file_write(const char *path, const char *text, fcps_error *error);

#ifdef __cplusplus
}
#endif
#endif
