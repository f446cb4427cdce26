// SPDX-License-Identifier: Apache-2.0
/*
 * picture: whether a picture that gnuplot has written is whole. Layer: bench/output.
 *
 * gnuplot does not tell that a write has failed: on a full disk it ends as if all were well, and
 * leaves a file that lacks its end.
 */
#ifndef BENCH_OUTPUT_PICTURE_H
#define BENCH_OUTPUT_PICTURE_H

#include <stdbool.h>

/* Whether the file ends as one of this format does, svg, png, pdf or eps. False also if there is no
 * such file. */
bool picture_is_whole(const char *path, const char *format);

#endif
