// SPDX-License-Identifier: Apache-2.0
/*
 * about: what results are of, in small print below a picture that stands alone: recipes or mix,
 * sizes, servers, the cores of the machine, the day; the verdict. Layer: bench/output.
 *
 * It is composed of manifest.json and findings.csv alone. Invariant: the text is printable, however
 * these came about; what they do not say is left out.
 */
#ifndef BENCH_OUTPUT_ABOUT_H
#define BENCH_OUTPUT_ABOUT_H

#include <jansson.h>
#include <stddef.h>

/* In the folder of a comparison, which has no manifest: the lines, as they are drawn. */
#define ABOUT_FILE "about.txt"

/* What the plan was: "nonscalable, scalable; n = 10 to 1,000". The caller's to free. */
char *about_plan(const json_t *manifest);

/* A sentence, with a blank behind it, if no server was measured; else "". */
const char *about_simulation(const json_t *manifest);

/* Where it was carried out and when, on the servers of these manifests: "1, 3 servers of ZooKeeper
 * 3.8.0; all on 2 cores; 2026-11-22; zkherd 1.0.0". count: at least 1. The caller's to free. */
char *about_place(json_t *const manifests[], size_t count);

/* The lines of a folder, with a newline behind each: first what it is of; "": nothing is known of
 * it. manifest: its own; NULL: that is read, or those of the folders in it, or ABOUT_FILE. The
 * caller's to free. */
char *about_folder(const char *folder, json_t *manifest);

#endif
