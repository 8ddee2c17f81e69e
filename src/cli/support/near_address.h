/* SPDX-License-Identifier: Apache-2.0 */
/* An address of a server that was mistyped, so that it looks like the name of a file. */
#ifndef FCPS_CLI_SUPPORT_NEAR_ADDRESS_H
#define FCPS_CLI_SUPPORT_NEAR_ADDRESS_H

#include <fcps/base.h>

/* Fails with what was probably meant where a text is https://HOST:PORT/STUDY, http:/..., or HOST:PORT/STUDY without
 * http://; FCPS_OK where it is no address at all. */
fcps_status cli_near_address_check(const char *text, fcps_error *error);

#endif
