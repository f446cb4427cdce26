// SPDX-License-Identifier: Apache-2.0
/*
 * options: the options of `zkherd run` and of loads: the target, the output, and the plan of the
 * trials. Layer: bench/cli.
 *
 * Every list and word that is a pointer belongs to the struct of options or points into argv.
 */
#ifndef BENCH_CLI_OPTIONS_H
#define BENCH_CLI_OPTIONS_H

#include "bench/cli/arguments.h"
#include "load/load_plan.h"
#include "recipes/recipe.h"
#include "trial/trial_plan.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPTIONS_RECIPES_MAX    64
#define OPTIONS_TOPOLOGIES_MAX 16

/* Which servers the sessions connect to. */
enum placement { PLACEMENT_SPREAD, PLACEMENT_LEADER, PLACEMENT_FOLLOWERS };

/* What to do about trials that other programs disturb (bench/output/noise_watch.h). */
enum noise_mode { NOISE_RETRY, NOISE_REPORT, NOISE_OFF };
struct noise_options {
    enum noise_mode mode;
    bool given;         /* on the command line: one of the options */
    bool retries_given; /* on the command line: --retries */
    uint32_t retries;   /* trials made again at most; unless given, as many as trials */
    uint64_t quiet_ns;  /* at most so long a trial waits until the machine is quiet */
};

/* The servers, and how sessions reach them. */
struct target_options {
    struct noise_options noise;
    enum driver driver;
    bool connect;                  /* to existing servers; else private ones are started */
    struct connect_string servers; /* of --connect */
    uint64_t *server_counts;       /* of each topology, ascending */
    size_t topology_count;         /* of server_counts; 1 with --connect */
    const char *home;              /* folder of --zookeeper; NULL: the release of the system */
    bool servers_given, auth_given, heap_given, fsync_given; /* on the command line */
    uint32_t heap_mib;                                       /* of each private server's JVM */
    uint32_t cpu_percent; /* of one core, for each private server; 0: no limit */
    bool fsync;
    const char *data; /* folder of the private servers' data; NULL: a temporary folder */
    enum placement placement;
    uint64_t companions;  /* sessions of zkherd beside the clients of a trial */
    uint64_t max_clients; /* sessions at a time; UINT64_MAX: as many as the plan has */
};

void target_options_deinit(struct target_options *target);

struct output_options {
    const char *out; /* NULL: results/<time>-<target> */
    unsigned plots;  /* the formats of the plots, a bit each (bench/cli/arguments.h) */
    bool brief;      /* at most 24 lines are printed */
    bool json;
    bool quiet;
    bool no_files; /* out is then OUTPUT_NOWHERE, and there are no plots */
};

/* The formats of ROW_PLOTS (bench/cli/rows.h) without --plots: svg and png. */
#define OPTIONS_PLOTS_DEFAULT 3U

/* With --no-files: has the results written nowhere. False, after a complaint, if another option
 * asks for a file: --out, --plots, or `other`, which was given; NULL: none. */
bool options_write_nowhere(const char *subcommand, struct output_options *output,
                           const char *other);

/* The words of the enumerations, as the user types them, by value; NULL behind the last. */
extern const char *const options_workloads[];
extern const char *const options_paces[];
extern const char *const options_drivers[];
extern const char *const options_placements[];
extern const char *const options_noise_modes[];
extern const char *const options_acls[]; /* by whether only the creator is admitted */

/* ------------------------------------------------------------------ a run */

/* A load that is sent to the servers during each trial. */
struct background_options {
    bool given;
    struct mix mix;
    uint64_t rate_per_s;
};

/* The trials. */
struct run_plan {
    struct background_options background;
    const struct recipe *recipes[OPTIONS_RECIPES_MAX];
    uint64_t most_clients[OPTIONS_RECIPES_MAX]; /* of each recipe; UINT64_MAX: no limit */
    size_t recipe_count;
    struct levels clients;
    enum workload workload;
    uint64_t handoffs;    /* 0: a duration, or the default */
    uint64_t duration_ns; /* 0: none */
    enum pace pace;
    struct hold hold;
    uint32_t locks;
    uint32_t trials; /* of each recipe at each number of clients */
    uint32_t processes;
    struct levels traced; /* handoffs whose messages are kept */
    uint64_t max_rate;    /* requests a second; 0: no limit */
    uint64_t session_timeout_ns;
    uint64_t timeout_ns;
    uint64_t seed;
};

struct options {
    struct run_plan plan;
    struct target_options target;
    struct output_options output;
};

/* Each frees the lists and empties the options. */
void options_deinit(struct options *options);

/* Steady: the grants that a cell of `clients` is to make; 0 when the time decides. */
uint64_t options_handoffs(const struct options *options, uint64_t clients);

/* The options of `zkherd run` (bench/cli/option_table.c). A value that its row's parser has
 * accepted can be run, as far as that value alone decides; bench/run/command_line.c judges values
 * together. */
extern const struct option_row option_table[];

/* The object "plan" of manifest.json: the keys of all options. The caller's to json_decref. */
json_t *option_table_plan(const struct options *options);

/* ------------------------------------------------------------------ a load */

struct load_options {
    struct target_options target;
    struct output_options output;
    bool mix_given; /* on the command line: --mix */
    struct mix mix;
    struct levels reads; /* instead of the mix: percent get, the rest set; count 0: none */
    struct levels sessions;
    struct levels rates; /* operations a second; count 0: a closed loop */
    bool arrivals_given; /* on the command line: --arrivals */
    bool poisson;
    uint32_t depth;
    uint32_t value_bytes;
    uint32_t znodes; /* 0: one for each session */
    uint32_t watch_percent;
    uint32_t trials;
    bool rehearses; /* a round of trials before the first, which are not kept */
    uint32_t processes;
    uint64_t warm_up_ns;
    uint64_t duration_ns;
    uint64_t session_timeout_ns;
    uint64_t timeout_ns;
    uint64_t seed;
    struct connect_string meet; /* of several hosts; its chroot is the place */
    uint32_t hosts;             /* that meet; 0: this one alone */
    uint64_t meet_timeout_ns;
};

void load_options_deinit(struct load_options *options);

/* The words of --arrivals, by whether the times are random; NULL behind the last. */
extern const char *const load_options_arrivals[];

/* How many mixes the plan has, one or as many as values of --reads, and that of an index; how many
 * rates, 1 in a closed loop, and that of an index, 0 in a closed loop. */
size_t load_options_mixes(const struct load_options *options);
struct mix load_options_mix(const struct load_options *options, size_t index);
size_t load_options_rates(const struct load_options *options);
uint64_t load_options_rate(const struct load_options *options, size_t index);

/* Whether the driver takes as many requests outstanding of a session as a mix needs: a thread waits
 * for each reply. Complains if not. */
bool load_options_suit_driver(const char *subcommand, const struct load_options *options,
                              const struct mix *mix);

/* A list of numbers for a manifest, and the object "plan" of manifest.json: the caller's to
 * json_decref. */
json_t *load_options_describe(const uint64_t *list, size_t count);
json_t *load_options_plan(const struct load_options *options);

#endif
