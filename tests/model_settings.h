/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of a model for problems small enough to fit in a test. */
#ifndef FCPS_TESTS_MODEL_SETTINGS_H
#define FCPS_TESTS_MODEL_SETTINGS_H

#include "model/model.h"

static inline fcps_model_settings small_model_settings(fcps_gp_scaling scaling)
{
  return (fcps_model_settings){.kernel = &fcps_kernel_se,
                               .circular = true,
                               .norm = {FCPS_MEAN_CENTRED, scaling},
                               .prior = {.length = 0.4,
                                         .length_sd = 0.8,
                                         .signal = 1,
                                         .signal_sd = 1,
                                         .noise = 0.05,
                                         .noise_sd = 1,
                                         .noise_floor = 1e-3},
                               .fit = {.starts = 2, .budget = 25}};
}

#endif
