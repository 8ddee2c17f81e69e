/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of the status codes, made from the one list in <fcps/base.h>. */
#include <fcps/base.h>

const char *fcps_status_text(fcps_status status)
{
  static const char *const texts[] = {
#define STATUS_TEXT(name, text) text,
      FCPS_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
  };
  const int number = (int)status; /* the enum may be unsigned, a caller's number need not be */
  return number >= 0 && number < FCPS_STATUS_COUNT ? texts[number] : "unknown status";
}
