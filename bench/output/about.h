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

/* In the folder of a comparison, which has no manifest: the lines, as they are drawn. */
#define ABOUT_FILE "about.txt"

/* The line of a manifest: "nonscalable, scalable; n = 10 to 1,000; 1 server of ZooKeeper 3.8.0; …".
 * The caller's to free. */
char *about_manifest(const json_t *manifest);

/* The lines of a folder, with a newline behind each: of its manifest, or of those of the folders in
 * it, or ABOUT_FILE; then the verdict. The caller's to free. */
char *about_folder(const char *folder);

#endif
