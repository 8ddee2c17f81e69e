/* SPDX-License-Identifier: Apache-2.0 */
/* The table is made by the build (cmake/Serve.cmake). */
#include "serve/assets.h"

#include <serve_assets_table.h> /* of the build */

#include <string.h>

/* Asset `index`, from 0; NULL past the end. */
static const fcps_asset *asset_at(int index)
{
  return index >= 0 && index < (int)(sizeof asset_table / sizeof *asset_table) ? asset_table + index : NULL;
}

const fcps_asset *fcps_asset_find(const char *path)
{
  const fcps_asset *asset;
  for (int i = 0; (asset = asset_at(i)) != NULL; i++)
    if (strcmp(asset->path, path) == 0) return asset;
  return NULL;
}
