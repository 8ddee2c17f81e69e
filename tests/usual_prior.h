/* SPDX-License-Identifier: Apache-2.0 */
/* The prior that most tests of GPs and models give the hyper-parameters, as an initializer. `spread` is the deviation
 * of log lengths: 0.8 where rewards are learnt, 0.4 where outcomes are. */
#ifndef FCPS_TESTS_USUAL_PRIOR_H
#define FCPS_TESTS_USUAL_PRIOR_H

#include "gp/likelihood.h"

#define USUAL_PRIOR(spread)                                                                                            \
  {                                                                                                                    \
    .length = 0.4, .length_sd = spread, .signal = 1, .signal_sd = 1, .noise = 0.05, .noise_sd = 1, .noise_floor = 1e-3 \
  }

#endif
