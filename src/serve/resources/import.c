/* SPDX-License-Identifier: Apache-2.0 */
/* Old results from a table: one transaction, all rows or none. To send the same table again is harmless, because rows
 * whose trials are stored already are skipped, unless `again` says that they were done again. */
#include "base/error.h"
#include "serve/resources/resources.h"
#include "study/import_text.h"

fcps_status fcps_resource_import(fcps_call *call, fcps_error *error)
{
  static const char *const keys[] = {"csv", "file", "again", NULL};
  fcps_import_text table = {.name = "csv"};
  int added = 0, skipped = 0;
  fcps_status status = fcps_call_check_keys(call, keys, error);
  if (status == FCPS_OK) status = fcps_call_text(call, "csv", &table.text, error);
  if (status == FCPS_OK) status = fcps_call_text(call, "file", &table.name, error);
  if (status == FCPS_OK) status = fcps_call_bool(call, "again", &table.again, error);
  if (status == FCPS_OK && table.text == NULL)
    status = fcps_error_set(error, FCPS_ERR_ARGUMENT, "csv",
                            "give the table as a text under \"csv\": a line of column names, then a line for each "
                            "trial");
  if (status == FCPS_OK) status = fcps_study_import_text(call->study, &table, &added, &skipped, error);
  if (status != FCPS_OK) return status;
  call->json = fcps_json_object();
  fcps_json_put(&call->json, "added", fcps_json_from_integer(added));
  fcps_json_put(&call->json, "skipped", fcps_json_from_integer(skipped));
  return FCPS_OK;
}
