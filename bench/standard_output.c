// SPDX-License-Identifier: Apache-2.0
#include "bench/standard_output.h"

#include <errno.h>
#include <stdio.h>

enum fault_kind standard_output_flush(struct fault *fault)
{
    static const char subject[] = "standard output";
    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return FAULT_NONE;
    int os_error = errno;
    clearerr(stdout);
    return os_error == EPIPE ? fault_raise(fault, FAULT_UNREAD, os_error, subject, "%s", "")
                             : fault_from_errno(fault, os_error, subject, "%s", "");
}
