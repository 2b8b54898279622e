/* A Gomocup brain that plays anywhere at once: for measuring what the referee costs, and for tests.
   Usage: random_brain [SEED]. Knows START, RESTART, BEGIN, TURN, BOARD, INFO, ABOUT, END. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST 64

static int size = 15;
static char taken[LARGEST][LARGEST];

static void say(const char *line) {
    puts(line);
    fflush(stdout);
}

static void empty(void) { memset(taken, 0, sizeof taken); }

static void lay(int x, int y) {
    if (x >= 0 && y >= 0 && x < size && y < size) taken[x][y] = 1;
}

static void move(void) {
    int x, y;
    do {
        x = rand() % size;
        y = rand() % size;
    } while (taken[x][y]);
    taken[x][y] = 1;
    printf("%d,%d\n", x, y);
    fflush(stdout);
}

int main(int count, char **words) {
    char line[1024];
    int x, y, whose;
    srand(count > 1 ? (unsigned)atoi(words[1]) : 1u);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "START %d", &x) == 1) {
            if (x < 5 || x > LARGEST) {
                say("ERROR unsupported size");
                continue;
            }
            size = x;
            empty();
            say("OK");
        } else if (!strncmp(line, "RESTART", 7)) {
            empty();
            say("OK");
        } else if (!strncmp(line, "BEGIN", 5)) {
            move();
        } else if (sscanf(line, "TURN %d,%d", &x, &y) == 2) {
            lay(x, y);
            move();
        } else if (!strncmp(line, "BOARD", 5)) {
            empty();
            while (fgets(line, sizeof line, stdin) && strncmp(line, "DONE", 4))
                if (sscanf(line, "%d,%d,%d", &x, &y, &whose) == 3) lay(x, y);
            move();
        } else if (!strncmp(line, "ABOUT", 5)) {
            say("name=\"random\", version=\"1\", author=\"Gomogo\", country=\"\"");
        } else if (!strncmp(line, "END", 3)) {
            return 0;
        } else if (strncmp(line, "INFO", 4)) {
            say("UNKNOWN");
        }
    }
    return 0;
}
