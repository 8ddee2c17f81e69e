/* SPDX-License-Identifier: Apache-2.0 */
/* How the page looks, and how to read it. */
#ifndef FCPS_REPORT_PAGE_PAGE_STYLE_H
#define FCPS_REPORT_PAGE_PAGE_STYLE_H

extern const char fcps_page_style[];   /* CSS */
extern const char fcps_page_reading[]; /* a paragraph */

#endif
