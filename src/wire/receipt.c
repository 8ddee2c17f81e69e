/* SPDX-License-Identifier: Apache-2.0 */
/* Receipts: what is said of a result once it is stored. */
#include "wire/wire.h"

#include <math.h>

fcps_json *fcps_wire_receipt_write(const fcps_receipt *receipt)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "ask", fcps_json_from_integer(receipt->ask));
  fcps_json_put(&object, "stored", fcps_json_from_bool(true));
  fcps_json_put(&object, "repeated", fcps_json_from_bool(receipt->is_repeated));
  fcps_json_put(&object, "late", fcps_json_from_bool(receipt->is_late));
  fcps_json_put(&object, "flagged", fcps_json_from_bool(receipt->is_flagged));
  if (receipt->result_number > 1) fcps_json_put(&object, "evidence", fcps_json_from_integer(receipt->result_number));
  if (receipt->is_misplaced) fcps_json_put(&object, "misplaced", fcps_json_from_bool(true));
  if (receipt->is_suspect) fcps_json_put(&object, "suspect", fcps_json_from_bool(true));
  fcps_json_put(&object, "reward",
                isfinite(receipt->reward) ? fcps_json_from_number(receipt->reward) : fcps_json_null());
  return object;
}

static bool read_flag(const fcps_json *json, const char *key)
{
  bool value = false;
  return fcps_json_bool(fcps_json_get(json, key), &value) && value;
}

void fcps_wire_receipt_read(const fcps_json *json, int64_t id, fcps_receipt *receipt)
{
  int64_t number = 1;
  (void)fcps_json_integer(fcps_json_get(json, "evidence"), &number);
  *receipt = (fcps_receipt){.ask = id,
                            .result_number = (int)number,
                            .is_misplaced = read_flag(json, "misplaced"),
                            .is_repeated = read_flag(json, "repeated"),
                            .is_late = read_flag(json, "late"),
                            .is_flagged = read_flag(json, "flagged"),
                            .is_suspect = read_flag(json, "suspect")};
  if (!fcps_json_number(fcps_json_get(json, "reward"), &receipt->reward)) receipt->reward = NAN;
}
