/* SPDX-License-Identifier: Apache-2.0 */
/* The style of the page, and its paragraph on how verdicts are reached. */
#ifndef FCPS_REPORT_PAGE_PAGE_STYLE_H
#define FCPS_REPORT_PAGE_PAGE_STYLE_H

extern const char fcps_page_style[];   /* CSS */
extern const char fcps_page_reading[]; /* a paragraph */

#endif
