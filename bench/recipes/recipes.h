// SPDX-License-Identifier: Apache-2.0
/*
 * recipes: zkherd recipes: what each recipe does, and what it costs. Layer: bench/recipes.
 */
#ifndef BENCH_RECIPES_RECIPES_H
#define BENCH_RECIPES_RECIPES_H

/* argv[0] is "recipes". Returns the exit status. */
int recipes_main(int argc, char **argv);

#endif
