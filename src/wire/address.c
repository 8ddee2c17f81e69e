/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/address.h"

#include "study/inside.h"

fcps_status fcps_wire_name_study(fcps_study *copy, const char *address, fcps_error *error)
{
  return fcps_study_set_address(copy, address, error);
}
