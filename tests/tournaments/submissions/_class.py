"""The submissions of a small class: good programs, bad programs, and a zip that attacks the program that unpacks it."""

from __future__ import annotations

import zipfile
from pathlib import Path

PLAYS = '''"""Plays the first free point."""

import sys


def choose(position, clock):
    print("{says}", file=sys.stderr)
    return next(position.moves())
'''
CRASHES = """import sys


def choose(position, clock):
    print("emil's secret " * 3, file=sys.stderr)
    raise SystemExit("emil's last words")
"""
HOUSE = '''"""Plays the last free point."""

KEEP_RUNNING = True


def choose(position, clock):
    return list(position.moves())[-1]
'''
C = r"""
#include <stdio.h>
#include <string.h>

/* Speaks Gomocup's protocol, and plays the first free point of five by five. */
int main(void) {
    static int taken[5][5];
    char line[256];
    int x, y;
    setvbuf(stdout, NULL, _IONBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "START", 5)) { memset(taken, 0, sizeof taken); puts("OK"); continue; }
        if (!strncmp(line, "RESTART", 7)) { memset(taken, 0, sizeof taken); puts("OK"); continue; }
        if (!strncmp(line, "END", 3)) return 0;
        if (!strncmp(line, "ABOUT", 5)) { puts("name=\"carla\", version=\"1\""); continue; }
        if (!strncmp(line, "INFO", 4)) continue;
        if (!strncmp(line, "BOARD", 5)) {
            int who;
            memset(taken, 0, sizeof taken);
            while (fgets(line, sizeof line, stdin) && sscanf(line, "%d,%d,%d", &x, &y, &who) == 3) taken[y][x] = 1;
        } else if (sscanf(line, "TURN %d,%d", &x, &y) == 2) {
            taken[y][x] = 1;
        } else if (strncmp(line, "BEGIN", 5)) {
            puts("UNKNOWN");
            continue;
        }
        for (y = 0; y < 5; y++) for (x = 0; x < 5; x++) if (!taken[y][x]) goto found;
    found:
        taken[y][x] = 1;
        fprintf(stderr, "carla thought\n");
        printf("%d,%d\n", x, y);
    }
    return 0;
}
"""


def hand_in(folder: Path) -> Path:
    """Fill a folder with the class's submissions."""
    folder.mkdir()
    (folder / ".DS_Store").write_text("")
    (folder / "list of names.txt").write_text("anna, bert")
    _anna(folder / "anna", "anna's secret")
    _zip(folder / "bert.zip", {"bert/bot.py": PLAYS.format(says="bert's secret"), "__MACOSX/bert/._bot.py": "?"})
    _toml(folder / "carla", 'command = "./brain"', 'protocol = "gomocup"', 'build = "gcc -O1 -o brain brain.c"')
    (folder / "carla" / "brain.c").write_text(C)
    _toml(folder / "dora", 'command = "./bot"', "build = \"echo 'dora sees <b>this</b>'; echo 'no rule' >&2; exit 3\"")
    _toml(folder / "dirk", 'command = "./bot"', 'build = "echo dirk waits; sleep 60"')
    (folder / "emil").mkdir()
    (folder / "emil" / "bot.py").write_text(CRASHES)
    _zip(folder / "fritz.zip", {"bot.py": PLAYS, "../../../escaped.py": "print('out')"})
    (folder / "gerd").mkdir()
    (folder / "gerd" / "essay.md").write_text("I have written no program.")
    _anna(folder / "<script>alert(1)", "<script>alert(2)</script>")
    return folder


def _anna(folder: Path, says: str) -> None:
    folder.mkdir()
    (folder / "bot.py").write_text(PLAYS.format(says=says))


def _toml(folder: Path, *lines: str) -> None:
    folder.mkdir()
    (folder / "agent.toml").write_text("\n".join(lines))


def _zip(archive: Path, files: dict[str, str]) -> None:
    with zipfile.ZipFile(archive, "w") as opened:
        for name, text in files.items():
            opened.writestr(name, text)
