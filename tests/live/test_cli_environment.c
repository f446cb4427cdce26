// SPDX-License-Identifier: Apache-2.0
/* What the program says, and leaves, where something that it needs is missing: Java, a server, a
 * descriptor, space. */
#include "tests/live/outcome.h"
#include "tests/live/outside.h"
#include "tests/live/run_files.h"

#include "zk/install.h"
#include "zk/keeper.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <zookeeper/zookeeper.h>

/* A run of a moment. */
#define SMALL "-n", "2", "-t", "1", "-r", "scalable"

static struct command command;

/* Refused, with these words, and nothing is left. */
static void assert_in_vain(const char *words)
{
    assert_refused(&command, 3, words);
    assert_left(0);
}

static void with(const char *const *settings, void (*prepare)(void))
{
    command.settings = settings;
    command.prepare = prepare;
}

static int make_fresh(void **state)
{
    with(NULL, NULL);
    return nest_make(state);
}

static int clear_away(void **state)
{
    umount2(in_work("disk"), MNT_DETACH); /* where a test has mounted it */
    return nest_remove(state);
}

/* ------------------------------------------------------------------ programs */

static void no_java(void **state)
{
    (void)state;
    with((const char *const[]){NO_JAVA, NULL}, NULL);
    command_run(&command, COMMAND("run", SMALL));
    assert_in_vain("no Java found: not in the PATH; install");
    with((const char *const[]){NO_PROGRAMS, "JAVA_HOME=", NULL}, NULL);
    command_run(&command, COMMAND("run", SMALL));
    assert_in_vain("no Java found: not in the PATH; install");
    with((const char *const[]){NO_PROGRAMS, "JAVA_HOME=/nonexistent", NULL}, NULL);
    command_run(&command, COMMAND("run", SMALL));
    assert_in_vain("JAVA_HOME");
}

static void no_zookeeper(void **state)
{
    (void)state;
    static char setting[128];
    snprintf(setting, sizeof setting, "ZOOKEEPER_HOME=%s", nest_work);
    with((const char *const[]){setting, NULL}, NULL);
    command_run(&command, COMMAND("run", SMALL));
    assert_in_vain("no ZooKeeper server found: ZOOKEEPER_HOME has no zookeeper-*.jar");
}

static void too_little_memory(void **state)
{
    (void)state;
    command_run(&command, COMMAND("run", SMALL, "--servers", "3", "--heap", "900000"));
    assert_in_vain("out of memory");
}

/* Each topology fits alone, but all of them run beside each other. */
static void too_little_memory_for_all_topologies(void **state)
{
    (void)state;
    uint64_t available_kib = 0;
    char line[128], heap[32];
    FILE *file = fopen("/proc/meminfo", "r");
    assert_non_null(file);
    while (available_kib == 0 && fgets(line, sizeof line, file) != NULL)
        (void)!sscanf(line, "MemAvailable: %" SCNu64, &available_kib);
    fclose(file);
    snprintf(heap, sizeof heap, "%" PRIu64, available_kib / 1024 * 2 / 7 - 100);
    command_run(&command, COMMAND("run", SMALL, "--servers", "1,3", "--heap", heap));
    assert_in_vain("zkherd: 4 servers: out of memory");
}

/* A folder with nothing but java in it, to be the whole PATH. */
static const char *java_alone(void)
{
    static char setting[128];
    char java[PATH_MAX], link[96];
    struct fault fault;
    assert_int_equal(install_find_java(java, sizeof java, &fault), FAULT_NONE);
    snprintf(link, sizeof link, "%s/bin", nest);
    assert_int_equal(mkdir(link, 0755), 0);
    snprintf(setting, sizeof setting, "PATH=%s", link);
    snprintf(link, sizeof link, "%s/bin/java", nest);
    assert_int_equal(symlink(java, link), 0);
    return setting;
}

static void without_gnuplot_there_are_no_plots(void **state)
{
    (void)state;
    with((const char *const[]){java_alone(), "JAVA_HOME", NULL}, NULL);
    command_run(&command, COMMAND("run", "-n", "1,3", "-t", "1", "-o", "out"));
    assert_status(&command, 0);
    assert_has(command.err, "zkherd: the plots are skipped: ");
    assert_has(command.out, "= law");
    assert_left(1);
    struct run_files files = run_files_read("out");
    assert_int_equal(files.trials.rows, 6);
    run_files_deinit(&files);
    assert_int_equal(count_entries(in_work("out")), 8);
    json_t *manifest = read_manifest("out");
    json_t *warnings = json_object_get(manifest, "warnings");
    assert_int_equal(json_array_size(warnings), 1);
    assert_has(json_string_value(json_array_get(warnings, 0)), "the plots are skipped");
    json_decref(manifest);
}

/* A copy of the client library that calls itself by another version. */
static void install_another_library(const char *folder)
{
    char line[512];
    Dl_info info;
    void *loaded = dlopen("libzookeeper_st.so.2", RTLD_NOW | RTLD_LOCAL);
    assert_non_null(loaded);
    assert_int_not_equal(dladdr(dlsym(loaded, "zookeeper_init"), &info), 0);
    snprintf(line, sizeof line,
             "LC_ALL=C sed 's/zookeeper C client [0-9]/zookeeper C client X/' '%s' "
             "> '%s/libzookeeper_st.so.2'",
             info.dli_fname, folder);
    assert_int_equal(system(line), 0);
    dlclose(loaded);
}

static void the_version_is_that_of_the_loaded_library(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "LD_LIBRARY_PATH=%s", nest);
    install_another_library(nest);
    with((const char *const[]){path, NO_PROGRAMS, NULL}, NULL);
    command_run(&command, COMMAND("run", SMALL, "-q", "--connect", outside, "-o", "out"));
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
    json_t *manifest = read_manifest("out");
    const json_t *driver = json_object_get(manifest, "driver");
    assert_has(json_string_value(json_object_get(driver, "client_version")), "X.");
    json_decref(manifest);
}

/* ------------------------------------------------------------------ folders */

static void a_folder_that_cannot_be_made(void **state)
{
    (void)state;
    FILE *file = fopen(in_work("file"), "w");
    assert_non_null(file);
    fclose(file);
    static const struct {
        const char *folder, *words;
    } list[] = {
        {"no/where", "zkherd: no/where: the system refused (No such file or directory)"},
        {"/proc/zkherd", "cannot make the folder"},
        {"file/out", "zkherd: file/out: the system refused (Not a directory)"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        command_run(&command, COMMAND("run", SMALL, "--connect", outside, "-o", list[i].folder));
        assert_refused(&command, 3, list[i].words);
        assert_left(1);
        assert_nothing_left_outside(1);
        /* Nor is a private server started for nothing: that there is no Java does not show. */
        with((const char *const[]){NO_JAVA, NULL}, NULL);
        command_run(&command, COMMAND("run", SMALL, "-o", list[i].folder));
        with(NULL, NULL);
        assert_refused(&command, 3, list[i].words);
        assert_left(1);
    }
}

/* Nobody has named it: so nobody can name another. */
static void folders_of_the_same_second(void **state)
{
    (void)state;
    static const char *const small[] = {"zkherd", "run", "-d", "simulated", "-n", "2",
                                        "-t",     "1",   "-r", "scalable",  "-q", NULL};
    with((const char *const[]){NO_PROGRAMS, NULL}, NULL);
    for (size_t i = 0; i < 12; i++) {
        command_run(&command, small);
        assert_status(&command, 0);
    }
    assert_int_equal(count_entries(in_work("results")), 12);
    assert_left(1);
}

/* As another user, to whom the folder is closed. */
static void a_folder_that_is_closed(void **state)
{
    (void)state;
    if (access(command_program, X_OK) != 0 || geteuid() != 0) {
        print_message("skipped: needs root, to become somebody else\n");
        skip();
    }
    with(NULL, become_nobody);
    command_run(&command, COMMAND("run", SMALL, "--connect", outside, "-o", "out"));
    if (command.status == 127) {
        print_message("skipped: the program is where nobody else may run it\n");
        skip();
    }
    assert_in_vain("zkherd: out: permission denied (Permission denied): cannot make the folder");
    assert_nothing_left_outside(1);
}

static void no_temporary_folder(void **state)
{
    (void)state;
    with((const char *const[]){"TMPDIR=/proc/nowhere", NULL}, NULL);
    command_run(&command, COMMAND("run", SMALL));
    assert_status(&command, 3);
    assert_has(command.err, "zkherd: /proc/nowhere: ");
    assert_left(0);
}

/* ------------------------------------------------------------------ limits */

/* Root could raise the limit again: not without this capability. */
static void allow_few_descriptors(void)
{
    prctl(PR_CAPBSET_DROP, 24 /* CAP_SYS_RESOURCE */);
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){100, 100});
}

static void too_few_descriptors(void **state)
{
    (void)state;
    with(NULL, allow_few_descriptors);
    command_run(&command, COMMAND("run", "-n", "200", "-t", "1"));
    assert_in_vain("too few file descriptors: 456 are needed in one process, 100 are allowed; "
                   "raise the limit (ulimit -n)");
    command_run(&command, COMMAND("run", "-n", "200", "-t", "1", "--connect", outside));
    assert_in_vain("too few file descriptors");
}

static rlim_t descriptors;

static void limit_descriptors(void)
{
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){descriptors, descriptors});
}

/* Wherever they run out while the files of two targets are opened. */
static void descriptors_that_run_out(void **state)
{
    (void)state;
    with((const char *const[]){NO_PROGRAMS, NULL}, limit_descriptors);
    for (descriptors = 6, command.status = 3; command.status != 0; descriptors++) {
        command_run(&command, COMMAND("run", SMALL, "-q", "-d", "simulated", "--servers", "1,3",
                                      "-o", "out"));
        if (command.status != 0)
            assert_in_vain("too few file descriptors");
    }
    assert_true(descriptors > 6 + 5);
    assert_left(1);
}

/* What finished before is there, whole; and it is said which file has no room, once. */
static void assert_out_of_space(const char *folder)
{
    assert_status(&command, 3);
    assert_has(command.err, "no space left");
    assert_has(command.err, folder);
    assert_complaint(strstr(command.err, "zkherd: "), "writing it failed; free some space");
    struct run_files files = run_files_read(folder);
    assert_true(files.trials.rows > 0);
    if (strcmp(folder, "out") == 0) /* elsewhere there may be no room for a manifest either */
        assert_cut_short(folder, "no space left", files.trials.rows);
    run_files_deinit(&files);
    assert_nothing_runs();
    assert_nothing_left_outside(1);
}

static void limit_files_to_6_kib(void)
{
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){6 * 1024, 6 * 1024});
}

static void a_file_that_may_not_grow(void **state)
{
    (void)state;
    with((const char *const[]){NO_PROGRAMS, NULL}, limit_files_to_6_kib);
    command_run(&command, COMMAND("run", "-n", "8,16", "-t", "50", "-r", "scalable", "--connect",
                                  outside, "-o", "out"));
    assert_out_of_space("out");
    assert_left(1);
}

static void results_that_cannot_be_printed(void **state)
{
    (void)state;
    with(NULL, print_to_a_full_device);
    command_run(&command, COMMAND("run", "--help"));
    assert_in_vain("zkherd: standard output: no space left");
}

/* The mount is seen by this process and its children only, and ends with them. */
static bool mount_small_disk(const char *options)
{
    return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mkdir(in_work("disk"), 0755) == 0 &&
           mount("none", in_work("disk"), "tmpfs", 0, options) == 0;
}

static void a_disk_that_fills_up(void **state)
{
    (void)state;
    if (!mount_small_disk("size=32k")) {
        print_message("skipped: needs the right to mount\n");
        skip();
    }
    with((const char *const[]){NO_PROGRAMS, NULL}, NULL);
    command_run(&command, COMMAND("run", "-n", "16,32", "-t", "50", "-r", "scalable", "--connect",
                                  outside, "-o", "disk/out"));
    assert_out_of_space("disk/out");
    assert_left(1);
}

static void a_disk_that_is_full_from_the_start(void **state)
{
    (void)state;
    if (!mount_small_disk("size=4k")) {
        print_message("skipped: needs the right to mount\n");
        skip();
    }
    command_run(&command, COMMAND("run", SMALL, "--connect", outside, "-o", "disk/out"));
    assert_refused(&command, 3, "no space left");
    assert_int_equal(count_entries(in_work("disk")), 0);
    assert_left(1);
    assert_nothing_left_outside(1);
}

/* ------------------------------------------------------------------ strangers */

/* What listens on a port of its own and is no ZooKeeper, or a strange one. */
struct stranger {
    pid_t pid;
    char address[64];
};

static void answer(int connection, const char *text)
{
    if (write(connection, text, strlen(text)) < 0)
        _exit(1);
}

static void say_nothing(int connection, const char *word)
{
    (void)connection, (void)word;
    pause(); /* the next ones wait in the backlog, accepted by the kernel */
}

static void hang_up(int connection, const char *word)
{
    (void)connection, (void)word;
}

static void talk_http(int connection, const char *word)
{
    (void)word;
    answer(connection, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
}

static void open_no_session(int connection, const char *word)
{
    if (strcmp(word, "srvr") != 0)
        pause();
    answer(connection, "Zookeeper version: 3.8.0-1, built on 2022-02-25 08:49 UTC\n"
                       "Connections: 1\nMode: standalone\nNode count: 5\n");
}

_Noreturn static void serve(int listening, void (*reply)(int connection, const char *word))
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        char word[8] = "";
        int connection = accept(listening, NULL, NULL);
        if (reply != hang_up && reply != say_nothing && read(connection, word, 4) < 0)
            _exit(1);
        reply(connection, word);
        close(connection);
    }
}

static struct stranger stranger_start(void (*reply)(int connection, const char *word))
{
    struct stranger stranger;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listening, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listening, 16), 0);
    assert_int_equal(getsockname(listening, (struct sockaddr *)&address, &size), 0);
    snprintf(stranger.address, sizeof stranger.address, "127.0.0.1:%u", ntohs(address.sin_port));
    stranger.pid = fork();
    if (stranger.pid == 0)
        serve(listening, reply);
    close(listening);
    return stranger;
}

static void stranger_stop(const struct stranger *stranger)
{
    kill(stranger->pid, SIGKILL);
    waitpid(stranger->pid, NULL, 0);
}

static void nobody_is_there(void **state)
{
    (void)state;
    struct stranger stranger = stranger_start(hang_up);
    stranger_stop(&stranger);
    command_run(&command, COMMAND("run", SMALL, "--connect", stranger.address));
    assert_in_vain("the connection was refused (Connection refused); start a ZooKeeper server");
    assert_true(command.took_ns < 2 * NS_PER_S);
    command_run(&command, COMMAND("run", SMALL, "--connect", "name.invalid"));
    assert_in_vain("zkherd: name.invalid: the host name is not known");
}

static void somebody_else_is_there(void **state)
{
    (void)state;
    static const struct {
        void (*reply)(int connection, const char *word);
        const char *words;
    } list[] = {
        {hang_up, "what answers there is not ZooKeeper: it closed the connection without a word"},
        {talk_http, "not ZooKeeper: to srvr it said 'HTTP/1.1 400 Bad Request'; check the host"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct stranger stranger = stranger_start(list[i].reply);
        command_run(&command, COMMAND("run", SMALL, "--connect", stranger.address));
        stranger_stop(&stranger);
        assert_in_vain(list[i].words);
        assert_has(command.err, stranger.address);
        assert_true(command.took_ns < 2 * NS_PER_S);
    }
}

/* The two that take their time, side by side. */
static void nobody_answers(void **state)
{
    (void)state;
    static struct command other;
    struct stranger silent = stranger_start(say_nothing);
    struct stranger half = stranger_start(open_no_session);
    command_start(&command, COMMAND("run", SMALL, "--connect", silent.address));
    command_start(&other, COMMAND("run", SMALL, "--connect", half.address));
    command_finish(&command, 15 * NS_PER_S);
    command_finish(&other, 15 * NS_PER_S);
    stranger_stop(&silent);
    stranger_stop(&half);
    assert_refused(&command, 3, "no answer in time: it accepts connections, but does not answer");
    assert_refused(&other, 3, "no answer in time: no session within 10 s; check that");
    assert_left(0);
}

/* ------------------------------------------------------------------ servers in a strange state */

/* The only one of three servers that runs: read-only, or not serving at all. */
struct lonely {
    struct keeper *keeper;
    char address[64];
};

static uint16_t free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listening, (struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(listening, (struct sockaddr *)&address, &size), 0);
    close(listening);
    return ntohs(address.sin_port);
}

static void configure_lonely(const struct lonely *lonely, uint16_t port)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/data", keeper_folder(lonely->keeper));
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "%s/data/myid", keeper_folder(lonely->keeper));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("1\n", file);
    fclose(file);
    snprintf(path, sizeof path, "%s/zoo.cfg", keeper_folder(lonely->keeper));
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(
        file,
        "dataDir=./data\nclientPortAddress=127.0.0.1\nclientPort=%u\ntickTime=500\ninitLimit=5\n"
        "syncLimit=2\nadmin.enableServer=false\n",
        port);
    for (int i = 1; i <= 3; i++)
        fprintf(file, "server.%d=127.0.0.1:%u:%u\n", i, free_port(), free_port());
    fclose(file);
}

static void lonely_start(struct lonely *lonely, bool read_only)
{
    char java[PATH_MAX], class_path[2 * PATH_MAX], mode[64];
    struct fault fault;
    pid_t pid;
    uint16_t port = free_port();
    snprintf(mode, sizeof mode, "-Dreadonlymode.enabled=%s", read_only ? "true" : "false");
    snprintf(lonely->address, sizeof lonely->address, "127.0.0.1:%u", port);
    assert_int_equal(install_find_java(java, sizeof java, &fault), FAULT_NONE);
    assert_int_equal(install_find_zookeeper(class_path, sizeof class_path, &fault), FAULT_NONE);
    assert_int_equal(keeper_new("/tmp", &lonely->keeper, &fault), FAULT_NONE);
    configure_lonely(lonely, port);
    const char *const arguments[] = {java,
                                     "-Xmx64m",
                                     "-XX:-UsePerfData",
                                     mode,
                                     "-cp",
                                     class_path,
                                     "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                                     "./zoo.cfg",
                                     NULL};
    assert_int_equal(keeper_run(lonely->keeper, arguments, "log", &pid, &fault), FAULT_NONE);
}

/* Runs until the message is this one: the server takes a few seconds to find out about itself. */
static void run_until(const struct lonely *lonely, const char *words)
{
    uint64_t until_ns = clock_now_ns() + 30 * NS_PER_S;
    do {
        pause_ms(50);
        command_run(&command, COMMAND("run", SMALL, "--connect", lonely->address));
    } while (strstr(command.err, words) == NULL && clock_now_ns() < until_ns);
    assert_in_vain(words);
    assert_has(command.err, lonely->address);
}

static void a_server_without_its_ensemble(void **state)
{
    (void)state;
    struct lonely read_only, lost;
    lonely_start(&lost, false);
    lonely_start(&read_only, true);
    run_until(&lost, "the server is not serving requests; wait until its ensemble has a quorum");
    run_until(&read_only, "the server is read-only; bring its ensemble back to a quorum");
    keeper_free(lost.keeper);
    keeper_free(read_only.keeper);
}

/* ------------------------------------------------------------------ chroots */

static void created(int status, const char *path, const void *context)
{
    (void)path;
    *(int *)(uintptr_t)context = status;
}

static void turn(zhandle_t *zk)
{
    int fd = -1, interest = 0;
    struct timeval patience = {0};
    fd_set readable, writable;
    FD_ZERO(&readable);
    FD_ZERO(&writable);
    zookeeper_interest(zk, &fd, &interest, &patience);
    if (fd >= 0 && (interest & ZOOKEEPER_READ) != 0)
        FD_SET(fd, &readable);
    if (fd >= 0 && (interest & ZOOKEEPER_WRITE) != 0)
        FD_SET(fd, &writable);
    int ready = select(fd + 1, &readable, &writable, NULL, &(struct timeval){.tv_usec = 10000});
    int events = ready > 0 && FD_ISSET(fd, &readable) ? ZOOKEEPER_READ : 0;
    events |= ready > 0 && FD_ISSET(fd, &writable) ? ZOOKEEPER_WRITE : 0;
    zookeeper_process(zk, events);
}

/* A znode that everybody may read, and nobody may add to. */
static void create_read_only_znode(const char *path)
{
    int status = 1;
    uint64_t until_ns = clock_now_ns() + 10 * NS_PER_S;
    zoo_set_debug_level((ZooLogLevel)0);
    zhandle_t *zk = zookeeper_init(outside, NULL, 10000, NULL, NULL, 0);
    assert_non_null(zk);
    assert_int_equal(zoo_acreate(zk, path, "", 0, &ZOO_READ_ACL_UNSAFE, 0, created, &status), ZOK);
    while (status == 1 && clock_now_ns() < until_ns)
        turn(zk);
    assert_int_equal(status, ZOK);
    zookeeper_close(zk);
}

static void a_chroot_that_is_not_there(void **state)
{
    (void)state;
    char servers[128];
    snprintf(servers, sizeof servers, "%s/no/where", outside);
    command_run(&command, COMMAND("run", SMALL, "--connect", servers));
    assert_in_vain("zkherd: /no/where: the chroot does not exist; create it first");
    assert_nothing_left_outside(1);
}

/* The last test: the znode stays. */
static void a_chroot_without_permission(void **state)
{
    (void)state;
    char servers[128];
    create_read_only_znode("/locked");
    snprintf(servers, sizeof servers, "%s/locked", outside);
    command_run(&command, COMMAND("run", SMALL, "--connect", servers));
    assert_in_vain("permission denied: the znode's ACL forbids it; use an account");
    assert_nothing_left_outside(2);
}

#define ENVIRONMENT_TEST(test) cmocka_unit_test_setup_teardown(test, make_fresh, clear_away)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENVIRONMENT_TEST(no_java),
        ENVIRONMENT_TEST(no_zookeeper),
        ENVIRONMENT_TEST(too_little_memory),
        ENVIRONMENT_TEST(too_little_memory_for_all_topologies),
        ENVIRONMENT_TEST(without_gnuplot_there_are_no_plots),
        ENVIRONMENT_TEST(a_folder_that_cannot_be_made),
        ENVIRONMENT_TEST(the_version_is_that_of_the_loaded_library),
        ENVIRONMENT_TEST(folders_of_the_same_second),
        ENVIRONMENT_TEST(a_folder_that_is_closed),
        ENVIRONMENT_TEST(no_temporary_folder),
        ENVIRONMENT_TEST(too_few_descriptors),
        ENVIRONMENT_TEST(descriptors_that_run_out),
        ENVIRONMENT_TEST(a_file_that_may_not_grow),
        ENVIRONMENT_TEST(results_that_cannot_be_printed),
        ENVIRONMENT_TEST(a_disk_that_fills_up),
        ENVIRONMENT_TEST(a_disk_that_is_full_from_the_start),
        ENVIRONMENT_TEST(nobody_is_there),
        ENVIRONMENT_TEST(somebody_else_is_there),
        ENVIRONMENT_TEST(nobody_answers),
        ENVIRONMENT_TEST(a_server_without_its_ensemble),
        ENVIRONMENT_TEST(a_chroot_that_is_not_there),
        ENVIRONMENT_TEST(a_chroot_without_permission),
    };
    return cmocka_run_group_tests(tests, outside_start, outside_stop);
}
