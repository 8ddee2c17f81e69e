/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a study that came over a wire: its user knows it by its address alone. */
#ifndef FCPS_WIRE_ADDRESS_H
#define FCPS_WIRE_ADDRESS_H

#include <fcps/study.h>

/* Lets the commands that messages of this copy suggest name the address. */
fcps_status fcps_wire_name_study(fcps_study *copy, const char *address, fcps_error *error);

#endif
