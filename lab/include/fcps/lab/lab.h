/* SPDX-License-Identifier: Apache-2.0 */
/* The whole laboratory: built-in tasks, runs of them, and experiments. It is linked into the program and the Python
 * package. The library libfcps.so does not contain it. */
#ifndef FCPS_LAB_LAB_H
#define FCPS_LAB_LAB_H

#include <fcps/lab/experiment.h>
#include <fcps/lab/run.h>
#include <fcps/lab/task.h>

#endif
