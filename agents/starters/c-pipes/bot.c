/* A bot that plays Gomoku by pipes: wins at once where it can, and plays any empty point where it cannot.

   Begin at `choose`, which is all that knows how to play. Below it stand the parts that need no change:
   a small reader of JSON, what the bot knows on its turn, and the communication with the referee.

   Build:  mkdir -p build && gcc -O2 -Wall -Wextra -o build/bot bot.c
   Run:    the referee starts `build/bot`; each line that comes in, and each that goes out, is one JSON object. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 26 }; /* points along each side of the largest board */

/* What the bot knows on its turn. */
struct turn {
    int size;                    /* points along each side */
    int line;                    /* stones in a row that win */
    char board[MOST][MOST + 1];  /* board[0] is the top row; 'x' black, 'o' white, '.' empty */
    char mine;                   /* the character of our own stones */
    int swapping;                /* an opening wants a word now, "swap" or "stay", and no stone */
};

/* ---- How it plays ---------------------------------------------------------------------------------------- */

/* How many of our stones stand from (row, column) on in one direction, the point itself left out. */
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

/* Whether a stone of ours on this point makes a row that wins. */
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

/* Choose a point, both numbers counted from 0. Change this: it is where your bot becomes yours. */
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
            if (rand() % empty == 0) { /* the n-th empty point takes the place with chance 1/n: all are alike */
                *best_row = row;
                *best_column = column;
            }
        }
    }
}

/* ---- A small reader of JSON ------------------------------------------------------------------------------ */
/* It finds the value of a key, whatever stands around it. What it cannot do: keys or texts of ours that are
   written with a backslash are not decoded. The referee writes boards, names and keys without any. */

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

/* The place behind the text in quotation marks that begins here. */
static const char *skip_text(const char *text)
{
    for (text++; *text && *text != '"'; text++)
        if (*text == '\\' && text[1])
            text++;
    return *text ? text + 1 : text;
}

/* The place behind the value that begins here: a text, a number, a word, or all between two brackets. */
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

/* ---- What it knows --------------------------------------------------------------------------------------- */

/* Read what a turn line tells. 0 if there is no board. */
static int read_turn(struct turn *turn, const char *told)
{
    const char *row = member(told, "board"), *you = member(told, "you"), *line = member(member(told, "options"), "line");
    const char *mark = NULL;
    char team[64] = "";

    if (you && *you == '"')
        snprintf(team, sizeof team, "%.*s", (int)(skip_text(you) - you - 2), you + 1);
    mark = member(member(told, "marks"), team);
    turn->size = 0;
    turn->line = line ? atoi(line) : 5;
    turn->mine = mark && *mark == '"' ? mark[1] : 'x';
    turn->swapping = begins(member(told, "opening"), "choose");
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

int main(void)
{
    char *told = NULL;
    size_t room = 0;

    srand((unsigned)time(NULL) ^ (unsigned)getpid());
    while (getline(&told, &room, stdin) > 0) { /* until there are no more: then nobody needs us */
        const char *type = member(told, "type");
        struct turn turn;
        int row = 0, column = 0;

        if (begins(type, "game\"")) {
            /* Build what takes long here: no clock runs before we say that we are ready. With keep we say that this
               process may play game after game; it remembers nothing from one to the next. */
            puts("{\"ready\": true, \"keep\": true}");
        } else if (begins(type, "turn\"")) {
            /* "moves" has all moves so far; this bot needs no more than the board. */
            if (!read_turn(&turn, told)) {
                fprintf(stderr, "There is no board in this turn: %.200s\n", told);
                return 1;
            }
            if (turn.swapping) {
                puts("{\"move\": \"stay\"}");
            } else {
                choose(&turn, &row, &column);
                printf("{\"move\": \"%c%d\"}\n", 'a' + column, row + 1);
            }
        } /* "end" says how the game ended. What is not known, now or later, is passed over. */
        fflush(stdout); /* what waits in a buffer is not heard */
    }
    free(told);
    return 0;
}
