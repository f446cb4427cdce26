// SPDX-License-Identifier: Apache-2.0
#include "bench/output/interruption.h"

#include "base/text.h"
#include "bench/cli/terminal.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void interruption_reword(struct error *error, const char *subcommand, const char *piece,
                         size_t kept, size_t planned)
{
    char of[32], whole[32];
    if (error->kind != ERROR_INTERRUPTED)
        return;
    if (kept == 0)
        error_raise(error, ERROR_INTERRUPTED, 0, subcommand, "before a %s ended: nothing is kept",
                    piece);
    else
        error_raise(error, ERROR_INTERRUPTED, 0, subcommand, "%s of %s %ss %s kept",
                    text_format_count(kept, of, sizeof of),
                    text_format_count(planned, whole, sizeof whole), piece,
                    kept == 1 ? "is" : "are");
}

/* For the handler. */
static struct {
    char sentence[200], folder[PATH_MAX];
    void (*discard)(const char *folder);
    int status;
} end;

static void end_program(int number)
{
    (void)number;
    (void)!write(STDERR_FILENO, end.sentence, strlen(end.sentence));
    if (end.discard != NULL)
        end.discard(end.folder);
    _exit(end.status);
}

void interruption_ends_program(const char *subcommand, const char *piece)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    bool controls = isatty(STDERR_FILENO) && terminal_look(STDERR_FILENO).controls;
    snprintf(
        end.sentence, sizeof end.sentence, "%szkherd: %s: %s: before a %s ended: nothing is kept\n",
        controls ? TERMINAL_CLEAR_LINE : "", subcommand, error_words(ERROR_INTERRUPTED), piece);
    end.status = error_exit_status(ERROR_INTERRUPTED);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (signal(numbers[i], end_program) == SIG_IGN)
            signal(numbers[i], SIG_IGN);
    }
}

void interruption_discards(const char *folder, void (*discard)(const char *folder))
{
    snprintf(end.folder, sizeof end.folder, "%s", folder);
    end.discard = discard;
}
