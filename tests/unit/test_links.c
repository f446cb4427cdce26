// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test.h"

/*
 * The links and pictures between documents: each leads to a file that exists, and to a heading of
 * it if it names one. Tests run in the folder that README.md is in.
 */
#include <ctype.h>
#include <glob.h>
#include <unistd.h>

#define TEXT_SIZE (256 * 1024)

static char document[TEXT_SIZE], target[TEXT_SIZE];

static void read_text(const char *path, char *text)
{
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    size_t length = fread(text, 1, TEXT_SIZE - 1, file);
    fclose(file);
    assert_true(length < TEXT_SIZE - 1);
    text[length] = '\0';
}

/* The name by which a link leads to a heading: small letters, digits, and - for blanks. */
static void name_heading(const char *heading, char *name)
{
    for (; *heading != '\0' && *heading != '\n'; heading++) {
        unsigned char byte = (unsigned char)*heading;
        if (isalnum(byte) || byte == '-' || byte == '_' || byte >= 0x80)
            *name++ = (char)tolower(byte);
        else if (byte == ' ')
            *name++ = '-';
    }
    *name = '\0';
}

static bool has_heading(const char *text, const char *wanted)
{
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        char name[512];
        line += line > text ? 1 : 0;
        size_t marks = strspn(line, "#");
        if (marks == 0 || line[marks] != ' ')
            continue;
        assert_true(strcspn(line, "\n") < sizeof name);
        name_heading(line + marks + 1, name);
        if (strcmp(name, wanted) == 0)
            return true;
    }
    return false;
}

static bool leads_elsewhere(const char *link)
{
    return strstr(link, "://") != NULL || strncmp(link, "mailto:", 7) == 0;
}

/* A link of the document at this path. */
static void check_link(const char *path, char *link)
{
    char file[1024];
    const char *slash = strrchr(path, '/');
    char *heading = strchr(link, '#');
    if (heading != NULL)
        *heading++ = '\0';
    if (link[0] == '\0')
        snprintf(file, sizeof file, "%s", path);
    else
        snprintf(file, sizeof file, "%.*s%s", slash == NULL ? 0 : (int)(slash + 1 - path), path,
                 link);
    if (access(file, F_OK) != 0)
        fail_msg("%s: a link to %s, which does not exist", path, file);
    if (heading == NULL)
        return;
    read_text(file, target);
    if (!has_heading(target, heading))
        fail_msg("%s: a link to %s#%s: no such heading", path, file, heading);
}

/* Text between ``` is no text with links. How many there are. */
static size_t check_document(const char *path)
{
    size_t links = 0;
    bool code = false;
    read_text(path, document);
    for (char *place = document; *place != '\0'; place++) {
        if (strncmp(place, "```", 3) == 0)
            code = !code;
        if (code || strncmp(place, "](", 2) != 0)
            continue;
        char link[512];
        size_t length = strcspn(place + 2, ")\n");
        assert_true(length < sizeof link);
        snprintf(link, length + 1, "%s", place + 2);
        if (leads_elsewhere(link))
            continue;
        check_link(path, link);
        links++;
    }
    return links;
}

TEST(each_link_leads_somewhere)
{
    glob_t found;
    size_t links = 0;
    assert_int_equal(glob("*.md", 0, NULL, &found), 0);
    glob("*/*.md", GLOB_APPEND, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++)
        links += check_document(found.gl_pathv[i]);
    globfree(&found);
    assert_true(links > 50);
}

TEST(a_heading_has_the_name_that_links_use)
{
    static const char text[] =
        "# How zkherd counts\n\n## What is `mntr`, or: the 4-letter word?\nx\n";
    assert_true(has_heading(text, "how-zkherd-counts"));
    assert_true(has_heading(text, "what-is-mntr-or-the-4-letter-word"));
    assert_false(has_heading(text, "how-zkherd-count"));
    assert_false(has_heading(text, "x"));
}
