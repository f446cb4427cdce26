// SPDX-License-Identifier: Apache-2.0
#include "bench/claims/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 0))) static void add(char *text, size_t size, const char *format,
                                                      va_list arguments)
{
    size_t length = strlen(text);
    length += (size_t)snprintf(text + length, size - length, "%s", length > 0 ? "; " : "");
    if (length < size)
        vsnprintf(text + length, size - length, format, arguments);
}

void finding_tried(struct finding *finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(finding->experiment, sizeof finding->experiment, format, arguments);
    va_end(arguments);
}

void finding_expected(struct finding *finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(finding->expected, sizeof finding->expected, format, arguments);
    va_end(arguments);
}

void finding_measured(struct finding *finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(finding->measured, sizeof finding->measured, format, arguments);
    va_end(arguments);
}

void finding_check(struct finding *finding, bool as_expected)
{
    finding->checks++;
    if (!as_expected)
        finding->failed++;
}

void finding_undecide(struct finding *finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(finding->measured, sizeof finding->measured, format, arguments);
    va_end(arguments);
    finding->undecided = true;
}

bool finding_accepts(struct finding *finding, const struct trial_result *result)
{
    const struct trial_plan *plan = result->memory->plan;
    char sentence[256];
    if (result->violation_count > 0) {
        finding_measured(
            finding, "%s, %u clients: %s", plan->recipe->name, plan->fleet.sessions,
            violation_describe(&result->memory->violations[0], sentence, sizeof sentence));
        finding_check(finding, false);
        return false;
    }
    if (result->end != END_DONE)
        finding_undecide(finding, "%s, %u clients: %s", plan->recipe->name, plan->fleet.sessions,
                         result->reason);
    return result->end == END_DONE;
}

enum verdict finding_verdict(const struct finding *finding)
{
    if (finding->failed > 0)
        return VERDICT_FAILS;
    return finding->undecided || finding->checks == 0 ? VERDICT_UNDETERMINED : VERDICT_HOLDS;
}
