/* SPDX-License-Identifier: Apache-2.0 */
/* Texts as files: keeps the text that fcps_policy_save or its like gave.
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

/* Writes a text as a file, whole or not at all: an old file of that name is replaced; after a failure it is still there. Links
 * are followed; a device or a pipe is written directly. FCPS_ERR_ARGUMENT if the file is one that fcps never writes over,
 * as its commands: a study (also one that is open here), what belongs to one, a problem file, a program or another text that
 * people write (simulate.py, notes.md). FCPS_ERR_IO with the words of the system if it cannot be written. */
FCPS_API fcps_status fcps_file_write(const char *path, const char *text, fcps_error *error);

#ifdef __cplusplus
}
#endif
#endif
