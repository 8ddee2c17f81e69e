/* SPDX-License-Identifier: Apache-2.0 */
/* A message is cut between two characters of UTF-8, and says itself that it was. */
#include "study/message.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

const char *fcps_study_message(const char *message, char room[FCPS_STUDY_MESSAGE_SIZE])
{
  static const char form[] = "%.*s... (cut; it had %zu bytes)";
  const size_t length = message != NULL ? strlen(message) : 0;
  if (length < FCPS_STUDY_MESSAGE_SIZE) return message;
  size_t kept = FCPS_STUDY_MESSAGE_SIZE - 64;
  while (kept > 0 && ((unsigned char)message[kept] & 0xC0) == 0x80) /* within a character */
    kept--;
  snprintf(room, FCPS_STUDY_MESSAGE_SIZE, form, (int)kept, message, length);
  return room;
}

static fcps_status check_label(const char *field, const char *text, fcps_error *error)
{
  if (text == NULL || strlen(text) <= FCPS_STUDY_LABEL_MAX) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, field, "a %s has at most %d bytes, this one has %zu.", field,
                        (int)FCPS_STUDY_LABEL_MAX, strlen(text));
}

fcps_status fcps_study_check_labels(const fcps_result *result, fcps_error *error)
{
  const fcps_status status = check_label("client", result->client, error);
  return status == FCPS_OK ? check_label("key", result->key, error) : status;
}

fcps_status fcps_study_check_client(const char *client, fcps_error *error)
{
  if (client == NULL || strlen(client) <= FCPS_STUDY_CLIENT_MAX) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "client",
                        "the name of a client that asks has at most %d bytes; this one has more.",
                        (int)FCPS_STUDY_CLIENT_MAX);
}
