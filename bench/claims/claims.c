// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "bench/claims/internal.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/cli/progress.h"
#include "bench/cli/subcommands.h"
#include "bench/cli/terminal.h"
#include "bench/output/folder.h"
#include "bench/output/interruption.h"
#include "bench/output/json_result.h"
#include "bench/target/target.h"
#include "client/library.h"
#include "measure/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define HEAP_MIB     512
#define TIMEOUT_NS   (30 * NS_PER_S)
#define CLAIMS_MAX   64
#define SESSIONS_MAX 1000 /* more than any trial has */

/* The columns of an id, and of a verdict or a part's name; the words begin behind them. */
#define ID_WIDTH   4
#define PART_WIDTH 13

/* The columns of claims.csv. */
#define COLUMNS(X)                                                                                 \
    X(claim, csv_text(csv, claim->id))                                                             \
    X(source, csv_text(csv, claim->source))                                                        \
    X(statement, csv_text(csv, claim->statement))                                                  \
    X(experiment, csv_text(csv, finding->experiment))                                              \
    X(expected, csv_text(csv, finding->expected))                                                  \
    X(measured, csv_text(csv, finding->measured))                                                  \
    X(verdict, csv_text(csv, verdict_word(finding_verdict(finding))))

static const char usage[] =
    "Usage: zkherd claims [OPTION]...\n"
    "Test claims about ZooKeeper's locks on a real server; print each claim's\n"
    "source, experiment, expected and measured values, verdict. Takes about two\n"
    "minutes.\n"
    "\n";

static const char notes[] =
    "\n"
    "A claim holds, fails, or is undetermined: a trial was cut short, or the event\n"
    "of the claim did not happen. Exit status: 0 all hold; 1 one fails; 2 wrong\n"
    "usage; 3 the environment; 4 one is undetermined, or the run was interrupted.\n"
    "\n"
    "Examples:\n"
    "  zkherd claims                   all of them, on a private server\n"
    "  zkherd claims --only C1,C5      the herd, and the lock without it\n"
    "  zkherd claims --connect zk1:2181,zk2:2181/test -o claimed\n";

struct claims {
    bool wanted[CLAIMS_MAX];
    size_t wanted_count;
    bool only; /* the user has named the claims */
    const char *out;
    bool json;
    bool quiet;
    uint64_t seed;
    struct target_options servers; /* where the target is to be */
    struct target target;
    struct testbed testbed;
    struct progress progress;
    int signals; /* a descriptor, readable when the run is to end; -1: none */
    char folder[PATH_MAX];
    bool made_folder;
    struct output file;
    struct csv csv;
    const struct claim *tried; /* at present */
    size_t done;
    unsigned verdicts[VERDICTS];       /* the number of claims of each verdict */
    struct growing_text ids[VERDICTS]; /* their ids, with ", " between them */
    json_t *list;                      /* of --json: the claims that are done */
};

/* ------------------------------------------------------------------ the command line */

static bool want(struct option_given *given, const char *id)
{
    struct claims *claims = given->options;
    for (size_t i = 0; i < catalogue_count(); i++) {
        if (strcasecmp(id, catalogue_at(i)->id) == 0)
            return claims->wanted[i] = true;
        if (strcmp(id, catalogue_at(i)->id + 1) == 0)
            return option_row_refuse(given, "no claim is called '%s'; did you mean %s?", id,
                                     catalogue_at(i)->id);
    }
    return option_row_refuse(given, "no claim is called '%.40s': name C1 to C19", id);
}

static bool parse_only(struct option_given *given)
{
    struct claims *claims = given->options;
    const char *list = given->value;
    char id[16];
    memset(claims->wanted, 0, sizeof claims->wanted);
    while (text_next_item(&list, id, sizeof id)) {
        if (!want(given, id))
            return false;
    }
    return true;
}

static const struct option_row rows[] = {
    {.name = "--only",
     .parse = parse_only,
     .given = OPTION_MEMBER(struct claims, only),
     .help = "      --only LIST               only these claims, as C6 or C6,C7\n"
             "                                [C1 to C19; with --connect all but C18]\n"},
    {.name = "--connect",
     OPTION_SERVERS(struct claims, servers.servers),
     .given = OPTION_MEMBER(struct claims, servers.connect),
     .help = "      --connect HOSTS[/CHROOT]  use these servers instead of a private one\n"},
    {.name = "--seed",
     OPTION_NUMBER(struct claims, seed, 0, INT64_MAX),
     .help = "      --seed S                  seed of the random numbers [from the clock]\n"},
    {.name = "--out",
     .letter = 'o',
     OPTION_FOLDER(struct claims, out),
     .help = "  -o, --out DIR                 for claims.csv, a folder that does not exist yet\n"
             "                                [results/TIME-claims]\n"},
    {.name = "--json",
     OPTION_FLAG(struct claims, json),
     .help = "      --json                    print JSON; zkherd-claims(1) lists the keys\n"},
    {.name = "--quiet",
     .letter = 'q',
     OPTION_FLAG(struct claims, quiet),
     .help = "  -q, --quiet                   print only errors and claims that do not hold\n"},
    OPTION_ROW_HELP("  -h, --help                    print this help\n"),
    {0},
};

static const struct arguments arguments = {"claims", usage, rows, notes, NULL};

static void set_defaults(struct claims *claims)
{
    static uint64_t one_server = 1;
    *claims = (struct claims){
        .seed = clock_utc_ns(),
        .signals = -1,
        .servers = {.driver = DRIVER_EVENTS,
                    .max_clients = UINT64_MAX,
                    .server_counts = &one_server,
                    .topology_count = 1,
                    .heap_mib = HEAP_MIB,
                    .fsync = true,
                    .placement = PLACEMENT_SPREAD},
    };
    for (size_t i = 0; i < catalogue_count(); i++)
        claims->wanted[i] = true;
}

/* ------------------------------------------------------------------ before the first claim */

/* The progress callback of a trial. */
static void show(void *context, const struct trial_progress *trial)
{
    const struct claims *claims = context;
    const struct trial_plan *plan = claims->testbed.plan;
    char what[128];
    snprintf(what, sizeof what, "%s: %s n=%u", claims->tried->id, plan->recipe->name,
             plan->fleet.sessions);
    const struct progress_name name = {"", what, 0, plan->fleet.sessions};
    progress_show(&claims->progress, &name, trial);
}

/* The progress callback of an experiment, besides its trials. */
static void say(void *context, const char *what)
{
    const struct claims *claims = context;
    char line[128];
    snprintf(line, sizeof line, "%s: %s", claims->tried->id, what);
    progress_say(&claims->progress, line);
}

static enum error_kind open_target(struct claims *claims, struct error *error)
{
    progress_say(&claims->progress,
                 claims->servers.connect ? "looking at the servers" : "starting a private server");
    enum error_kind kind = ERROR_NONE;
    if (claims->servers.connect) {
        interruption_ends_program("claims", "claim");
        kind = target_find(&claims->servers, SESSIONS_MAX, &claims->target, error);
    }
    claims->signals = signals_block();
    if (kind == ERROR_NONE)
        kind = target_open(&claims->servers, 0, claims->signals, &claims->target, error);
    progress_clear(&claims->progress);
    if (kind != ERROR_NONE)
        return kind;
    if (claims->target.limit.sessions != UINT64_MAX && !claims->quiet)
        complain_mildly("%s takes %llu connections from this host at a time (maxClientCnxns): "
                        "claims that need more are undetermined; set maxClientCnxns=0 in zoo.cfg",
                        claims->target.limit.server, (unsigned long long)claims->target.limit.room);
    kind = target_make_root(&claims->target, claims->signals, error);
    claims->testbed = (struct testbed){
        .host = {.setup = claims->target.setup,
                 .servers = &claims->target.servers,
                 .ensemble = claims->target.ensemble,
                 .watch = {.progress = show,
                           .context = claims,
                           .interrupt_descriptor = claims->signals}},
        .root = claims->target.root,
        .seed = claims->seed,
        .sessions_most = claims->target.limit.sessions,
        .timeout_ns = TIMEOUT_NS,
        .say = say,
    };
    return kind;
}

static enum error_kind open_file(struct claims *claims, struct error *error)
{
    enum error_kind kind =
        folder_make(claims->out, clock_utc_ns(), "claims", claims->folder, error);
    if (kind != ERROR_NONE)
        return kind;
    claims->made_folder = true;
    kind = output_open(&claims->file, claims->folder, "claims.csv", error);
    if (kind != ERROR_NONE)
        return kind;
    claims->csv = (struct csv){.stream = claims->file.stream};
    csv_header(&claims->csv, COLUMNS(CSV_NAME));
    return output_commit(&claims->file, error);
}

/* Counts the claims to try. Servers of somebody's are one ensemble: claims about several are tried
 * only if they are named. */
static void count_wanted(struct claims *claims)
{
    for (size_t i = 0; i < catalogue_count(); i++) {
        const struct claim *claim = catalogue_at(i);
        if (claims->servers.connect && !claims->only && claim->servers[0] > 0) {
            claims->wanted[i] = false;
            if (!claims->quiet)
                complain_mildly("%s is left out: it compares private ensembles, and --connect "
                                "names other servers; zkherd claims --only %s tries it on private "
                                "ones",
                                claim->id, claim->id);
        }
        claims->wanted_count += claims->wanted[i];
    }
}

static enum error_kind prepare(struct claims *claims, struct error *error)
{
    struct library library;
    enum error_kind kind = folder_check(claims->out, error);
    if (kind == ERROR_NONE && (claims->json || !claims->quiet))
        kind = standard_output_check(error);
    if (kind == ERROR_NONE)
        kind = library_load(LIBRARY_ST, &library, error);
    if (kind == ERROR_NONE)
        kind = machine_allow_descriptors(SESSIONS_MAX, error);
    progress_init(&claims->progress, 0, claims->quiet);
    if (kind == ERROR_NONE)
        kind = open_target(claims, error);
    if (kind != ERROR_NONE)
        return kind;
    count_wanted(claims);
    claims->progress.count = claims->wanted_count;
    return open_file(claims, error);
}

/* ------------------------------------------------------------------ the claims */

/* Some parts of a claim that could not be tried are empty. */
static void write_part(const char *id, const char *part, const char *words)
{
    if (words[0] == '\0')
        return;
    printf("%-*s%-*s", ID_WIDTH, id, PART_WIDTH, part);
    wrap_write(words, ID_WIDTH + PART_WIDTH, stdout);
}

static void print_text(const struct claim *claim, const struct finding *finding)
{
    write_part(claim->id, verdict_word(finding_verdict(finding)), claim->statement);
    write_part("", "source", claim->source);
    write_part("", "experiment", finding->experiment);
    write_part("", "expected", finding->expected);
    write_part("", "measured", finding->measured);
    putchar('\n');
}

static void complain_of(const struct claim *claim, const struct finding *finding)
{
    bool expects = finding->expected[0] != '\0';
    enum verdict verdict = finding_verdict(finding);
    if (verdict != VERDICT_HOLDS)
        complain_plainly("%s %s: %s%s%smeasured %s", claim->id,
                         verdict == VERDICT_FAILS ? "fails" : "is undetermined",
                         expects ? "expected " : "", finding->expected, expects ? "; " : "",
                         finding->measured);
}

static json_t *describe(const struct claim *claim, const struct finding *finding)
{
    return json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:o, s:s}", "claim", claim->id, "source", claim->source,
        "statement", claim->statement, "experiment", json_result_text(finding->experiment),
        "expected", json_result_text(finding->expected), "measured",
        json_result_text(finding->measured), "verdict", verdict_word(finding_verdict(finding)));
}

static enum error_kind keep(struct claims *claims, const struct claim *claim,
                            const struct finding *finding, struct error *error)
{
    enum verdict verdict = finding_verdict(finding);
    struct csv *csv = &claims->csv;
    struct growing_text *ids = &claims->ids[verdict];
    claims->done++;
    claims->verdicts[verdict]++;
    growing_text_add(ids, "%s%s", ids->length > 0 ? ", " : "", claim->id);
    COLUMNS(CSV_WRITE) csv_end_row(csv);
    progress_clear(&claims->progress);
    if (claims->json)
        json_array_append_new(claims->list, describe(claim, finding));
    else if (!claims->quiet)
        print_text(claim, finding);
    if (claims->quiet)
        complain_of(claim, finding);
    fflush(stdout);
    return output_commit(&claims->file, error);
}

static enum error_kind try_one(struct claims *claims, const struct claim *claim, uint64_t began_ns,
                               struct error *error)
{
    struct finding finding = {0};
    uint64_t left_ns = 0; /* as if those that are left took as long as those that are done */
    if (claims->done > 0)
        left_ns =
            (clock_now_ns() - began_ns) / claims->done * (claims->wanted_count - claims->done);
    claims->tried = claim;
    progress_begin(&claims->progress, claims->done, left_ns);
    enum error_kind kind = experiment_try(claim, &claims->testbed, &finding, error);
    if (kind == ERROR_CONNECTION_LIMIT) {
        finding_undecide(&finding, "%s: %s", error->subject, error->detail);
        kind = ERROR_NONE;
    }
    return kind == ERROR_NONE ? keep(claims, claim, &finding, error) : kind;
}

static enum error_kind try_all(struct claims *claims, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    uint64_t began_ns = clock_now_ns();
    for (size_t i = 0; kind == ERROR_NONE && i < catalogue_count(); i++) {
        if (claims->wanted[i])
            kind = try_one(claims, catalogue_at(i), began_ns, error);
    }
    progress_clear(&claims->progress);
    return kind;
}

/* ------------------------------------------------------------------ the end */

/* What was finished is kept, whatever ended the run; a folder with nothing in it is not. */
static enum error_kind close_file(struct claims *claims, struct error *error)
{
    struct error keeping;
    if (claims->done == 0) {
        output_abandon(&claims->file);
        if (claims->made_folder)
            folder_discard(claims->folder);
        return ERROR_NONE;
    }
    enum error_kind kind = output_finish(&claims->file, error);
    if (kind != ERROR_NONE)
        (void)!output_keep(&claims->file, &keeping);
    return kind;
}

/* The claims that do not hold by name: they may be some screens above. */
static void sum_up(const struct claims *claims)
{
    static const char *const words[] = {[VERDICT_HOLDS] = "hold",
                                        [VERDICT_FAILS] = "fail",
                                        [VERDICT_UNDETERMINED] = "undetermined"};
    for (int verdict = VERDICT_HOLDS; verdict < VERDICTS; verdict++) {
        bool named = verdict != VERDICT_HOLDS && claims->verdicts[verdict] > 0;
        printf("%s%u %s%s%s%s", verdict == VERDICT_HOLDS ? "" : ", ", claims->verdicts[verdict],
               words[verdict], named ? " (" : "", named ? claims->ids[verdict].text : "",
               named ? ")" : "");
    }
    printf("\n\nresults in %s\n", claims->folder);
}

/* Tells what was tried. cut_short: why that is not all; ERROR_NONE: it is. */
static enum error_kind tell(const struct claims *claims, enum error_kind cut_short,
                            struct error *error)
{
    const unsigned *verdicts = claims->verdicts;
    if (claims->done > 0 && !claims->json && !claims->quiet)
        sum_up(claims);
    if (claims->done == 0 || !claims->json)
        return ERROR_NONE;
    json_t *object = json_pack(
        "{s:O, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "claims", claims->list, "claims_planned",
        (json_int_t)claims->wanted_count, "claims_finished", (json_int_t)claims->done, "holds",
        (json_int_t)verdicts[VERDICT_HOLDS], "fails", (json_int_t)verdicts[VERDICT_FAILS],
        "undetermined", (json_int_t)verdicts[VERDICT_UNDETERMINED], "cut_short",
        cut_short != ERROR_NONE ? json_string(error_words(cut_short)) : json_null(), "folder",
        json_text(claims->folder));
    return json_result_write(object, "claims", stdout, error);
}

/* A failed claim outweighs everything else, and an error one that is undetermined. */
static int lead(struct claims *claims)
{
    struct error error = {0};
    enum error_kind kind = prepare(claims, &error);
    if (kind == ERROR_NONE)
        kind = try_all(claims, &error);
    kind = target_find_cause(&claims->target, kind, &error);
    interruption_reword(&error, "claims", "claim", claims->done, claims->wanted_count);
    int status = kind == ERROR_NONE     ? 0
                 : kind == ERROR_UNREAD ? error_exit_status(kind)
                                        : complain_about("claims", &error);
    if (target_close(&claims->target, &error) != ERROR_NONE && complain(&error) != 0 && status == 0)
        status = error_exit_status(ERROR_LEFT_BEHIND);
    if (close_file(claims, &error) != ERROR_NONE && status == 0)
        status = complain(&error);
    if (claims->signals >= 0)
        close(claims->signals);
    if (tell(claims, kind, &error) != ERROR_NONE && complain(&error) != 0 && status == 0)
        status = error_exit_status(error.kind);
    if (claims->verdicts[VERDICT_FAILS] > 0)
        return 1;
    return status == 0 && claims->verdicts[VERDICT_UNDETERMINED] > 0 ? 4 : status;
}

int claims_main(int argc, char **argv)
{
    struct claims claims;
    set_defaults(&claims);
    int status = arguments_take(&arguments, argc, argv, &claims, NULL);
    claims.list = claims.json ? json_array() : NULL;
    if (status == ARGUMENTS_GO)
        status = lead(&claims);
    json_decref(claims.list);
    for (int verdict = 0; verdict < VERDICTS; verdict++)
        free(claims.ids[verdict].text);
    return status;
}
