// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/machine.h"

const char version_text[] = ZKHERD_VERSION;
