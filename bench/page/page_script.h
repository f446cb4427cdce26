// SPDX-License-Identifier: Apache-2.0
/*
 * page_script: the script of a page, bench/page/page_anatomy.js. Layer: bench/page.
 *
 * The Makefile makes both texts from that file.
 *
 * Invariant: the hash is that of the script, byte by byte.
 */
#ifndef BENCH_PAGE_PAGE_SCRIPT_H
#define BENCH_PAGE_PAGE_SCRIPT_H

/* The text of an element <script>. */
extern const char page_script[];

/* As a Content-Security-Policy names it, which runs no other script: sha256- and the hash as
 * base64.
 */
extern const char page_script_hash[];

#endif
