// SPDX-License-Identifier: Apache-2.0
/*
 * crew_kinds: the kinds of trial whose sessions may be on many hosts (fleet/crew.h). Layer:
 * bench/output.
 */
#ifndef BENCH_OUTPUT_CREW_KINDS_H
#define BENCH_OUTPUT_CREW_KINDS_H

#include "fleet/crew.h"
#include "load/load.h"
#include "trial/trial.h"

static const struct crew_kind *const crew_kinds[] = {&load_crew_kind, &lock_crew_kind,
                                                     &lock_scattered_kind, NULL};

#endif
