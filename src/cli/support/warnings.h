/* SPDX-License-Identifier: Apache-2.0 */
/* The warnings that this command has printed, for those of its answers that are JSON. */
#ifndef FCPS_CLI_SUPPORT_WARNINGS_H
#define FCPS_CLI_SUPPORT_WARNINGS_H

#include "format/json.h"

/* Keeps a warning; without memory it is only printed. */
void cli_warnings_keep(const char *code, const char *text);

/* Puts "warnings": [{"code": "W_UNIT", "text": "..."}, ...] into an object; nothing where there was none. */
void cli_warnings_put(fcps_json **object);

#endif
