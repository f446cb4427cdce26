// SPDX-License-Identifier: Apache-2.0
#include "bench/output/series.h"

#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/output/folder.h"
#include "bench/output/interruption.h"
#include "bench/target/resources.h"

void series_init(struct series *series, const struct series_options *options,
                 const struct series_user *user, void *context)
{
    *series = (struct series){
        .user = user, .context = context, .options = *options, .targets.signals = -1};
}

void series_deinit(struct series *series)
{
    targets_deinit(&series->targets, series->options.output->out);
    target_remove_data(series->options.target, series->made_data);
}

uint64_t series_most_clients(const struct series *series)
{
    const struct levels *clients = series->options.clients;
    return clients->list[clients->count - 1];
}

bool series_tells_demand(const struct series *series)
{
    return series->options.target->connect && !series->targets.list[0].stands &&
           !series->options.output->quiet;
}

void series_tell_demand(const struct series *series)
{
    char where[CONNECT_TEXT_SIZE], clients[32];
    if (series_tells_demand(series))
        complain_mildly("on %s: at most %s sessions at a time, each of which sends its next "
                        "request as soon as it may; others who use these servers will notice",
                        connect_typed(&series->targets.list[0].placement, where, sizeof where),
                        text_format_count(series_most_clients(series), clients, sizeof clients));
}

void series_answer(const struct series *series)
{
    metrics_server_answer(series->metrics);
}

/* ------------------------------------------------------------------ before the first trial */

static enum error_kind open_metrics(struct series *series, struct error *error)
{
    uint32_t port = series->options.output->metrics_port;
    if (port == 0)
        return ERROR_NONE;
    series->source = (struct metrics_source){series->user->write_metrics, series->context};
    return metrics_server_start((uint16_t)port, &series->source, &series->metrics, error);
}

/* The last trial is told, too, to whoever has asked before the end. */
static void close_metrics(struct series *series)
{
    series_answer(series);
    metrics_server_stop(series->metrics);
    series->metrics = NULL;
}

static enum error_kind check(struct series *series, struct error *error)
{
    const struct series_options *options = &series->options;
    enum error_kind kind = folder_check(options->output->out, error);
    if (kind == ERROR_NONE && (options->output->json || !options->output->quiet))
        kind = standard_output_check(error);
    if (kind == ERROR_NONE)
        kind = resources_check(options->target, series_most_clients(series), options->processes,
                               error);
    if (kind == ERROR_NONE)
        kind = target_prepare_data(options->target, &series->made_data, error);
    if (kind == ERROR_NONE && series->user->check != NULL)
        kind = series->user->check(series->context, error);
    return kind != ERROR_NONE ? kind : open_metrics(series, error);
}

static const char *piece_of(const struct series *series)
{
    return series->options.piece != NULL ? series->options.piece : "trial";
}

static enum error_kind open_targets(struct series *series, struct error *error)
{
    const struct target_options *options = series->options.target;
    if (options->driver != DRIVER_SIMULATED)
        progress_say(&series->progress,
                     options->connect ? "looking at the servers" : "starting private servers");
    if (options->connect)
        interruption_ends_program(series->options.subcommand, piece_of(series));
    enum error_kind kind =
        targets_open(&series->targets, options, series_most_clients(series), error);
    progress_clear(&series->progress);
    return kind;
}

/* What the servers do not allow is left out: only --connect has such servers, and they are one
 * target. */
static enum error_kind lay_out(struct series *series, struct error *error)
{
    const struct series_options *options = &series->options;
    enum error_kind kind =
        target_limit_fit(&series->targets.list[0].limit, options->target->max_clients,
                         options->clients, series->left_out, sizeof series->left_out, error);
    return kind != ERROR_NONE ? kind : series->user->lay_out(series->context, error);
}

static enum error_kind open_records(struct series *series, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < series->targets.count; i++) {
        char folder[PATH_MAX];
        const char *out;
        kind =
            targets_folder(&series->targets, i, series->options.output->out, folder, &out, error);
        if (kind == ERROR_NONE)
            kind = series->user->open_record(series->context, i, out, error);
        series->record_count += kind == ERROR_NONE;
    }
    return kind;
}

static enum error_kind prepare(struct series *series, struct error *error)
{
    enum error_kind kind = check(series, error);
    if (kind != ERROR_NONE)
        return kind;
    progress_init(&series->progress, 0, series->options.output->quiet);
    kind = open_targets(series, error);
    if (kind == ERROR_NONE)
        kind = lay_out(series, error);
    return kind != ERROR_NONE ? kind : open_records(series, error);
}

/* ------------------------------------------------------------------ the end */

/* Complains about the first error that is not the one that has cut the series short, about which
 * the caller complains. Returns the exit status. */
static int tell_error(int status, const struct error *cut_short, const struct error *error)
{
    bool is_new = error->kind != ERROR_NONE && status == 0 &&
                  (cut_short == NULL || error->kind != cut_short->kind);
    return is_new ? complain(error) : status;
}

/* Closes all records, whether or not one fails. */
static int close_records(struct series *series, const struct error *cut_short)
{
    int status = 0;
    for (size_t i = 0; i < series->record_count; i++) {
        struct error error = {0};
        (void)!series->user->close_record(series->context, i, cut_short, &error);
        status = tell_error(status, cut_short, &error);
    }
    struct error error = {0};
    if (series->user->join != NULL)
        (void)!series->user->join(series->context, &error);
    return tell_error(status, cut_short, &error);
}

/* Behind all else: what else went wrong may be why znodes remain. */
static int tell_left(const struct series *series, int status)
{
    int left = series->left.kind != ERROR_NONE ? complain(&series->left) : 0;
    return status != 0 ? status : left;
}

static size_t trials_kept(const struct series *series)
{
    size_t trials = 0;
    for (size_t i = 0; i < series->record_count; i++)
        trials += series->user->kept(series->context, i);
    return trials;
}

/* The interruption of a trial, or of a request before the first, in the words of the series. */
static void heed_interruption(struct series *series, struct error *error)
{
    series->interrupted = error->kind == ERROR_INTERRUPTED;
    interruption_reword(error, series->options.subcommand, piece_of(series), trials_kept(series),
                        series->planned);
}

/* What fails outweighs everything else, and an error what is not valid. */
static int weigh(int status, int verdict)
{
    return verdict == 1 || status == 0 ? verdict : status;
}

/* From the open targets to the verdict. */
static int lead(struct series *series)
{
    struct error error = {0};
    enum error_kind kind = series->user->run(series->context, &error);
    kind = targets_find_cause(&series->targets, kind, &error);
    heed_interruption(series, &error);
    if (series->interrupted)
        signals_take(series->targets.signals); /* the next one leaves out the plots */
    series_answer(series);
    targets_close(&series->targets, &series->left); /* before plots and tables: nobody waits */
    series_answer(series);
    int closed = close_records(series, kind != ERROR_NONE ? &error : NULL);
    int verdict = 0;
    int written = trials_kept(series) > 0 ? series->user->tell(series->context, &verdict) : 0;
    int status = kind != ERROR_NONE ? complain(&error) : closed != 0 ? closed : written;
    return weigh(tell_left(series, status), verdict);
}

/* Records that were opened before an error have no trials: closing them removes them. */
static int give_up(struct series *series, struct error *error)
{
    heed_interruption(series, error);
    int status = error->kind == ERROR_UNREAD ? error_exit_status(error->kind)
                                             : complain_about(series->options.subcommand, error);
    close_records(series, error);
    targets_close(&series->targets, &series->left);
    return tell_left(series, status);
}

int series_lead(struct series *series, int argc, char **argv)
{
    struct error error = {0};
    series->argc = argc;
    series->argv = argv;
    int status = prepare(series, &error) == ERROR_NONE ? lead(series) : give_up(series, &error);
    close_metrics(series);
    return status;
}
