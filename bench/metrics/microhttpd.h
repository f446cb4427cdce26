// SPDX-License-Identifier: Apache-2.0
/*
 * microhttpd: libmicrohttpd, loaded when --metrics asks for it. Layer: bench/metrics.
 *
 * It is not linked: workers begin as copies of this process, whose memory is measured, and most
 * runs need no HTTP.
 *
 * Invariant: a table that was filled has all functions.
 */
#ifndef BENCH_METRICS_MICROHTTPD_H
#define BENCH_METRICS_MICROHTTPD_H

#include "base/error.h"

#include <microhttpd.h>

/* X(member, function) */
#define MICROHTTPD_LIST(X)                                                                         \
    X(start, MHD_start_daemon)                                                                     \
    X(stop, MHD_stop_daemon)                                                                       \
    X(run, MHD_run)                                                                                \
    X(get_timeout, MHD_get_timeout)                                                                \
    X(get_info, MHD_get_daemon_info)                                                               \
    X(create_response, MHD_create_response_from_buffer)                                            \
    X(add_header, MHD_add_response_header)                                                         \
    X(queue, MHD_queue_response)                                                                   \
    X(destroy, MHD_destroy_response)

struct microhttpd {
#define X(member, function) __typeof__(function) *member;
    MICROHTTPD_LIST(X)
#undef X
};

/* Loads the library, which stays loaded. ERROR_NO_HTTP_LIBRARY. */
MUST_CHECK enum error_kind microhttpd_load(struct microhttpd *http, struct error *error);

#endif
