/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is being written beside its target, and gets the target's name when it is whole.
 *
 * It is named TARGET.new-PID-N, with the ending of the target once more at its end, and is locked while its writer lives. What a
 * killed writer left is therefore known by its name and its free lock. */
#ifndef FCPS_FORMAT_NEW_FILE_H
#define FCPS_FORMAT_NEW_FILE_H

#include <limits.h>

/* Removes what killed writers left beside the target, and opens a new file there for writing (mkstemp would make it unreadable for
 * others); its name is left in `beside`. -1, with errno, where that fails. */
int fcps_new_file_open(const char *target, char beside[PATH_MAX]);

#endif
