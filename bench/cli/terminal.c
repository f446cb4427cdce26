// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/terminal.h"

#include <sys/ioctl.h>

unsigned terminal_columns(int descriptor)
{
    struct winsize size = {0};
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return TERMINAL_COLUMNS;
    return size.ws_col;
}
