/* A bot that plays Gomoku: wins at once where it can, and plays any empty point where it cannot.

   Start at `choose`, which makes all decisions. The code below it needs no change: a small reader of JSON, the
   position, and the communication with the referee, by files or by pipes.

   Build:  mkdir -p build && gcc -O2 -Wall -Wextra -o build/bot bot.c
   Run:    by files the referee starts `build/bot TEAM` in a folder that contains all files of the game;
           by pipes it starts `build/bot`, and each line of input and of output is one JSON object. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 26 }; /* points along each side of the largest board */

/* The bot's knowledge on its turn. */
struct turn {
    int size;                    /* points along each side */
    int line;                    /* stones in a row that win */
    char board[MOST][MOST + 1];  /* board[0] is the top row; 'x' black, 'o' white, '.' empty */
    char mine;                   /* the character of our own stones */
    int swapping;                /* the opening needs a word now, "swap" or "stay" */
};

/* ---- How it plays ---------------------------------------------------------------------------------------- */

/* The number of our stones next to (row, column) in one direction. */
static int stones(const struct turn *turn, int row, int column, int down, int right)
{
    int count = 0;
    for (;;) {
        row += down;
        column += right;
        if (row < 0 || row >= turn->size || column < 0 || column >= turn->size || turn->board[row][column] != turn->mine)
            return count;
        count++;
    }
}

/* Whether a stone of ours on this point makes a winning row. */
static int wins(const struct turn *turn, int row, int column)
{
    static const int directions[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    for (int i = 0; i < 4; i++) {
        int down = directions[i][0], right = directions[i][1];
        if (stones(turn, row, column, down, right) + 1 + stones(turn, row, column, -down, -right) >= turn->line)
            return 1;
    }
    return 0;
}

/* Choose a point, both numbers counted from 0. Change this function to write your own bot. */
static void choose(const struct turn *turn, int *best_row, int *best_column)
{
    int empty = 0;
    for (int row = 0; row < turn->size; row++) {
        for (int column = 0; column < turn->size; column++) {
            if (turn->board[row][column] != '.')
                continue;
            if (wins(turn, row, column)) {
                *best_row = row;
                *best_column = column;
                return;
            }
            empty++;
            if (rand() % empty == 0) { /* replace with probability 1/n: all are equally likely */
                *best_row = row;
                *best_column = column;
            }
        }
    }
}

/* ---- A small reader of JSON ------------------------------------------------------------------------------ */
/* It finds the value of a key. It does not decode keys or texts that are written with a backslash; the referee
   writes boards, names and keys without any. */

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

/* The place behind the quoted text that begins here. */
static const char *skip_text(const char *text)
{
    for (text++; *text && *text != '"'; text++)
        if (*text == '\\' && text[1])
            text++;
    return *text ? text + 1 : text;
}

/* The place behind the value that begins here: a text, a number, a word, or a bracketed value. */
static const char *skip_value(const char *text)
{
    int depth = 0;
    do {
        if (*text == '"') {
            text = skip_text(text);
            continue;
        }
        if (*text == '{' || *text == '[')
            depth++;
        else if (*text == '}' || *text == ']')
            depth--;
        else if (depth == 0) /* a number, true, false or null */
            return text + strcspn(text, ",}] \t\r\n");
        text++;
    } while (*text && depth > 0);
    return text;
}

/* The value of a key of the object that begins here, or NULL. */
static const char *member(const char *object, const char *key)
{
    if (!object || *(object = skip_blanks(object)) != '{')
        return NULL;
    object = skip_blanks(object + 1);
    while (*object == '"') {
        const char *name = object + 1, *end = skip_text(object);
        int found = (size_t)(end - name) == strlen(key) + 1 && strncmp(name, key, strlen(key)) == 0;
        object = skip_blanks(end);
        if (*object != ':')
            return NULL;
        object = skip_blanks(object + 1);
        if (found)
            return object;
        object = skip_blanks(skip_value(object));
        if (*object == ',')
            object = skip_blanks(object + 1);
    }
    return NULL;
}

/* Whether a value is a text that begins so. */
static int begins(const char *value, const char *text)
{
    return value && *value == '"' && strncmp(value + 1, text, strlen(text)) == 0;
}

/* ---- The position --------------------------------------------------------------------------------------- */

/* Read the position from the object of `position.json`, the rules from that of `game.json`. 0 if there is no board. */
static int read_turn(struct turn *turn, const char *position, const char *options, const char *team)
{
    const char *row = member(position, "board"), *mark = member(member(position, "marks"), team);
    const char *line = member(options, "line");

    turn->size = 0;
    turn->line = line ? atoi(line) : 5;
    turn->mine = mark && *mark == '"' ? mark[1] : 'x';
    turn->swapping = begins(member(position, "opening"), "choose");
    if (!row || *row != '[')
        return 0;
    for (row = skip_blanks(row + 1); *row == '"' && turn->size < MOST; turn->size++) {
        const char *end = skip_text(row);
        snprintf(turn->board[turn->size], sizeof turn->board[0], "%.*s", (int)(end - row - 2), row + 1);
        row = skip_blanks(end);
        if (*row == ',')
            row = skip_blanks(row + 1);
    }
    return turn->size > 0;
}

/* ---- Communication with the referee ---------------------------------------------------------------------- */

static char game[1 << 16], position[1 << 16], standing[4096];

/* Read a file into `text`, up to its size; an empty text where there is no file. */
static void read_file(const char *name, char *text, size_t room)
{
    FILE *file = fopen(name, "rb");
    size_t length = file ? fread(text, 1, room - 1, file) : 0;
    text[length] = '\0';
    if (file)
        fclose(file);
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "wb");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
        perror(name);
        exit(1);
    }
}

static int exists(const char *name)
{
    return access(name, F_OK) == 0;
}

/* The number of the file of this name: a new file of the same name has another one. */
static ino_t number_of(const char *name)
{
    struct stat status;
    return stat(name, &status) == 0 ? status.st_ino : 0;
}

/* Answer every turn in the files until the game is over. */
static int play_by_files(const char *team)
{
    char go[64], ready[64], text[128], answer[128] = "";
    ino_t answered = 0;              /* the file of our last answer */
    int left_over = exists("end_game"); /* from an earlier game, until the referee has cleaned the folder */

    snprintf(go, sizeof go, "%.40s.go", team);
    snprintf(ready, sizeof ready, "%.40s.ready", team);

    /* Do slow preparations here: no clock runs before we report, by our process number, that we are ready. */
    snprintf(text, sizeof text, "%d", (int)getpid());
    write_file(ready, text);

    for (;;) {
        /* Look every 2 ms. Notifications of the system (inotify on Linux) are faster, and cost no polling. */
        usleep(2000);
        if (!exists("end_game"))
            left_over = 0;
        else if (!left_over)
            break;

        /* Our .go stays a moment longer than our turn. But for every turn the referee first puts a new move_file in
           the place of the old one: so, in this order, look for a file that is not our answer, then for the .go. */
        ino_t number = number_of("move_file");
        read_file("move_file", standing, sizeof standing);
        if (left_over || (number == answered && strcmp(standing, answer) == 0) || !exists(go))
            continue;
        if (number_of("move_file") != number)
            continue; /* it was replaced while we read it */

        /* Our turn. history_file has all moves so far, one per line; this bot needs only the board. */
        struct turn turn;
        int row = 0, column = 0;
        read_file("game.json", game, sizeof game);
        read_file("position.json", position, sizeof position);
        if (!read_turn(&turn, position, member(game, "options"), team)) {
            fprintf(stderr, "There is no board in position.json: %.200s\n", position);
            return 1;
        }
        if (turn.swapping) {
            snprintf(answer, sizeof answer, "%s stay\n", team);
        } else {
            choose(&turn, &row, &column);
            snprintf(answer, sizeof answer, "%s %c %d\n", team, 'a' + column, row + 1);
        }
        answered = number;
        write_file("move_file", answer); /* in one write: half a line is not a move */
    }
    remove(ready);
    return 0;
}

/* Answer the referee's lines until there are no more. */
static int play_by_pipes(void)
{
    char *message = NULL;
    size_t room = 0;

    while (getline(&message, &room, stdin) > 0) {
        const char *type = member(message, "type"), *you = member(message, "you");
        struct turn turn;
        int row = 0, column = 0;

        if (begins(type, "game\"")) {
            /* Do slow preparations here: no clock runs before we report that we are ready. With keep we announce that
               this process may play several games; it stores nothing from one game to the next. */
            puts("{\"ready\": true, \"keep\": true}");
        } else if (begins(type, "turn\"")) {
            /* "moves" has all moves so far; this bot needs only the board. */
            char team[64];
            snprintf(team, sizeof team, "%.*s", you ? (int)(skip_text(you) - you - 2) : 0, you ? you + 1 : "");
            if (!read_turn(&turn, message, member(message, "options"), team)) {
                fprintf(stderr, "There is no board in this turn: %.200s\n", message);
                return 1;
            }
            if (turn.swapping) {
                puts("{\"move\": \"stay\"}");
            } else {
                choose(&turn, &row, &column);
                printf("{\"move\": \"%c%d\"}\n", 'a' + column, row + 1);
            }
        } /* "end" reports the result of the game. Ignore unknown messages, now and in the future. */
        fflush(stdout); /* the referee does not see buffered output */
    }
    free(message);
    return 0;
}

int main(int count, char **words)
{
    srand((unsigned)time(NULL) ^ (unsigned)getpid());
    return count > 1 ? play_by_files(words[1]) : play_by_pipes();
}
