/* SPDX-License-Identifier: Apache-2.0 */
/* The files of the page: those of src/serve/page, and the chart library of a package. The build puts their bytes into
 * the program, so there is only one program to install, and no request can lead to a file of the system. */
#ifndef FCPS_SERVE_ASSETS_H
#define FCPS_SERVE_ASSETS_H

#include <stddef.h>

typedef struct fcps_asset {
  const char *path; /* its path in a request: "/page.js" */
  const char *type;
  const unsigned char *bytes;
  size_t length;
} fcps_asset;

/* Returns the asset under a path; NULL if there is none. */
const fcps_asset *fcps_asset_find(const char *path);

#endif
