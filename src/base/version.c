/* SPDX-License-Identifier: Apache-2.0 */
/* The version. It is written once, in CMakeLists.txt. */
#include <fcps/base.h>

const char *fcps_version(void)
{
  return FCPS_VERSION;
}
