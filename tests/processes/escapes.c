// Tries ways out of the sandbox: escapes ATTEMPT ARGUMENT [ATTEMPT ARGUMENT ...]. Prints a line for each: "out" where it
// worked, else why it did not.
// In C, so that it needs no runtime: it tries the same as any user, and in any sandbox.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int out(int worked) {
    printf("%s\n", worked ? "out" : strerror(errno));
    return 0;
}

static int reads(const char *path) {
    char byte;
    int file = open(path, O_RDONLY);
    return file >= 0 && read(file, &byte, 1) == 1;
}

static int lists(const char *path) {
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (entry->d_name[0] != '.') return 1;
    return 0;
}

static int writes(const char *path) {
    int file = open(path, O_WRONLY | O_CREAT, 0666);
    return file >= 0 && write(file, "x", 1) == 1;
}

// Whether a file of /proc about any process but ourselves holds these bytes.
static int told_by(const char *file, const char *bytes, size_t count) {
    DIR *folder = opendir("/proc");
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        char path[300], content[65536];
        if (atoi(entry->d_name) <= 0 || atoi(entry->d_name) == getpid()) continue;
        snprintf(path, sizeof path, "/proc/%s/%s", entry->d_name, file);
        int about = open(path, O_RDONLY);
        if (about < 0) continue;
        ssize_t length = read(about, content, sizeof content);
        close(about);
        if (length > 0 && memmem(content, length, bytes, count)) return 1;
    }
    return 0;
}

// Whether a process is there that sleeps for so long; ours and those above it have the number in another place.
static int sees(const char *seconds) {
    char words[100];
    return told_by("cmdline", words, 1 + snprintf(words, sizeof words, "sleep%c%s", 0, seconds));
}

static int connects(int port) {
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int socket_ = socket(AF_INET, SOCK_STREAM, 0);
    return socket_ >= 0 && !connect(socket_, (struct sockaddr *)&there, sizeof there);
}

// A socket's path; an abstract one's name begins with @.
static int connects_to(const char *name) {
    struct sockaddr_un there = {.sun_family = AF_UNIX};
    strncpy(there.sun_path, name, sizeof there.sun_path - 1);
    socklen_t length = offsetof(struct sockaddr_un, sun_path) + strlen(name) + (name[0] != '@');
    if (name[0] == '@') there.sun_path[0] = 0;
    int socket_ = socket(AF_UNIX, SOCK_STREAM, 0);
    return socket_ >= 0 && !connect(socket_, (struct sockaddr *)&there, length);
}

static int descriptors(void) {
    for (int number = 3; number < 1024; number++)
        if (fcntl(number, F_GETFD) >= 0) return 1;
    errno = EBADF;
    return 0;
}

// Leaves something for a later game, wherever it can; `finds` looks for it there.
static int leaves(void) {
    writes("/tmp" "/gomogo-test-left");
    writes("/dev/shm/gomogo-test-left");
    shmget(0x60606, 4096, IPC_CREAT | 0666);
    mq_open("/gomogo-test-left", O_CREAT | O_RDWR, 0666, NULL);
    syscall(SYS_add_key, "user", "gomogo-test-left", "x", 1, -4);  // the user's keyring
    return out(0);
}

static int finds(const char *kind) {
    if (!strcmp(kind, "tmp")) return !access("/tmp" "/gomogo-test-left", F_OK);
    if (!strcmp(kind, "shm")) return !access("/dev/shm/gomogo-test-left", F_OK);
    if (!strcmp(kind, "segment")) return shmget(0x60606, 4096, 0) >= 0;
    if (!strcmp(kind, "queue")) return mq_open("/gomogo-test-left", O_RDONLY) >= 0;
    return syscall(SYS_keyctl, 10, -4, "user", "gomogo-test-left", 0) >= 0;  // KEYCTL_SEARCH
}

// Leaves the tree in every way: its parent, its session, its descriptors. The child stays on, and says so in `survivor`.
static void survive(void) {
    if (fork()) _exit(0);
    setsid();
    if (fork()) _exit(0);
    for (int number = 0; number < 1024; number++) close(number);
    signal(SIGTERM, SIG_IGN);
    for (;;) {
        int file = open("survivor", O_WRONLY | O_APPEND | O_CREAT, 0666);
        if (write(file, "x", 1) == 1) close(file);
        usleep(10000);
    }
}

// How many megabytes it can write into one file, 100 at most.
static int fills(const char *path) {
    static char megabyte[1 << 20];
    int file = open(path, O_WRONLY | O_CREAT, 0666), written = 0;
    while (written < 100 && write(file, megabyte, sizeof megabyte) == sizeof megabyte) written++;
    return written == 100;
}

// Forks at most 3,000 times, and waits with all of them.
static int forks(void) {
    for (int count = 0; count < 3000; count++) {
        int child = fork();
        if (child < 0) break;
        if (!child) pause();
    }
    sleep(20);
    return 1;
}

// Makes 11,000 empty files in each of two temporary folders, and waits.
static int hoards(void) {
    for (int count = 0; count < 11000; count++) {
        char path[40];
        snprintf(path, sizeof path, "/tmp/%d", count);
        close(open(path, O_WRONLY | O_CREAT, 0666));
        snprintf(path, sizeof path, "/dev/shm/%d", count);
        close(open(path, O_WRONLY | O_CREAT, 0666));
    }
    sleep(20);
    return 1;
}

// Whether it can be told to run on all cores that there are.
static int leaves_its_core(void) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    for (int core = 0; core < CPU_SETSIZE; core++) CPU_SET(core, &cores);
    return !sched_setaffinity(0, sizeof cores, &cores);
}

static int try(const char *attempt, const char *argument) {
    errno = ENOENT;
    if (!strcmp(attempt, "read")) return out(reads(argument));
    if (!strcmp(attempt, "list")) return out(lists(argument));
    if (!strcmp(attempt, "write")) return out(writes(argument));
    if (!strcmp(attempt, "told")) return out(getenv(argument) || told_by("environ", argument, strlen(argument)));
    if (!strcmp(attempt, "see")) return out(sees(argument));
    if (!strcmp(attempt, "kill")) return out(!kill(atoi(argument), SIGKILL));
    if (!strcmp(attempt, "trace")) return out(!ptrace(PTRACE_ATTACH, atoi(argument), NULL, NULL));
    if (!strcmp(attempt, "connect")) return out(connects(atoi(argument)));
    if (!strcmp(attempt, "socket")) return out(connects_to(argument));
    if (!strcmp(attempt, "descriptors")) return out(descriptors());
    if (!strcmp(attempt, "leave")) return leaves();
    if (!strcmp(attempt, "find")) return out(finds(argument));
    if (!strcmp(attempt, "fill")) return out(fills(argument));
    if (!strcmp(attempt, "hoard")) return out(hoards());
    if (!strcmp(attempt, "core")) return out(leaves_its_core());
    if (!strcmp(attempt, "family")) return out(socket(atoi(argument), SOCK_DGRAM, 0) >= 0);
    if (!strcmp(attempt, "fork")) return out(forks());
    if (!strcmp(attempt, "root")) return out(!setuid(0));
    if (!strcmp(attempt, "namespace")) return out(!unshare(CLONE_NEWUSER));
    if (!strcmp(attempt, "mount")) return out(!mount("none", "/tmp", "tmpfs", 0, NULL));
    if (!strcmp(attempt, "unmount")) return out(!umount2("/game", MNT_DETACH));
    if (!strcmp(attempt, "device")) return out(!mknod("disk", S_IFBLK | 0666, makedev(254, 0)) && reads("disk"));
    if (!strcmp(attempt, "keyring")) return out(syscall(SYS_keyctl, 0, -3, 0) >= 0);  // that of the session
    if (!strcmp(attempt, "kernel")) return out(open("/proc/sys/kernel/core_pattern", O_WRONLY) >= 0);
    if (!strcmp(attempt, "parent")) {
        kill(getppid(), SIGKILL);
        sleep(1);
        return out(0);
    }
    if (!strcmp(attempt, "survive")) survive();
    return 2;
}

int main(int count, char **words) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int at = 1; at + 1 < count; at += 2)
        if (try(words[at], words[at + 1])) return 2;
    return 0;
}
