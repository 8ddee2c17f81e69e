/* SPDX-License-Identifier: Apache-2.0 */
/* The report: one HTML page about all experiments. */
#ifndef FCPS_REPORT_PAGE_PAGE_H
#define FCPS_REPORT_PAGE_PAGE_H

#include <fcps/base.h>

/* Writes DIRECTORY/report.html from every folder in DIRECTORY that has the results of an experiment. */
fcps_status fcps_report_page_write(const char *directory, fcps_error *error);

#endif
