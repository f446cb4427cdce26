// SPDX-License-Identifier: Apache-2.0
#include "tests/support/screen.h"

#include <sys/ioctl.h>

/* The terminal, and what the command has written to it. */
static int screen_master;
static char screen_terminal[64];
char screen_shown[COMMAND_TEXT_SIZE];

void screen_take_errors(void)
{
    dup2(open(screen_terminal, O_RDWR | O_NOCTTY | O_CLOEXEC), 2);
}

void screen_take_all(void)
{
    screen_take_errors();
    dup2(2, 1);
}

static void screen_open(unsigned short columns)
{
    const struct winsize size = {.ws_row = 24, .ws_col = columns};
    screen_master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    assert_true(screen_master >= 0 && grantpt(screen_master) == 0 && unlockpt(screen_master) == 0);
    assert_int_equal(ptsname_r(screen_master, screen_terminal, sizeof screen_terminal), 0);
    assert_int_equal(ioctl(screen_master, TIOCSWINSZ, &size), 0);
    assert_int_equal(setenv("TERM", "xterm", 1), 0);
}

void screen_run(struct command *command, unsigned short columns, void (*take)(void),
                const char *const arguments[])
{
    size_t length = 0;
    ssize_t more = 0;
    bool runs = true;
    screen_open(columns);
    command->prepare = take;
    command_start(command, arguments);
    while (runs || more > 0) {
        runs = command_runs(command);
        more = read(screen_master, screen_shown + length, sizeof screen_shown - 1 - length);
        length += more > 0 ? (size_t)more : 0;
        if (more <= 0)
            pause_ms(2);
    }
    screen_shown[length] = '\0';
    command_finish(command, 0);
    command->prepare = NULL;
    close(screen_master);
}

bool screen_has(const char *beginning, const char *words)
{
    for (const char *line = strstr(screen_shown, beginning); line != NULL;
         line = strstr(line + 1, beginning)) {
        const char *found = strstr(line, words);
        if (found != NULL && found < line + strcspn(line, "\r"))
            return true;
    }
    return false;
}

/* The length of a sequence that sets a colour, at the beginning of a text; 0: none. */
static size_t colour_length(const char *text)
{
    if (strncmp(text, "\033[", 2) != 0)
        return 0;
    size_t length = 2 + strspn(text + 2, "0123456789;");
    return text[length] == 'm' ? length + 1 : 0;
}

size_t screen_widest(const char *text)
{
    static const char erase[] = "\r\033[K";
    size_t widest = 0, column = 0;
    while (*(text += colour_length(text)) != '\0') {
        bool erases = strncmp(text, erase, sizeof erase - 1) == 0;
        bool begins = erases || *text == '\n' || *text == '\r';
        column = begins ? 0 : column + (((unsigned char)*text & 0xc0) != 0x80);
        widest = column > widest ? column : widest;
        text += erases ? sizeof erase - 1 : 1;
    }
    return widest;
}
