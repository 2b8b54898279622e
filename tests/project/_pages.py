"""The project's pages, taken apart: blocks of code, and the commands in them.

A `console` block holds commands after `$ ` and their output, in which `...` stands for anything; an `sh` block commands
only. They are run from the top of a copy of the project, unless `<!-- not run: WHY -->` stands right above. A command
that is meant to fail ends with `# exit code N`. `<!-- file: PATH -->` above a block says where the reader puts it.
`<!-- needs: PROGRAM PROGRAM -->` anywhere in a page names what its commands need of tests/_tools.py.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from tests.project._tracked import ROOT, tracked

_FENCE = re.compile(
    r"(?:^<!-- (?P<note>(?:(?!-->).)*) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE
)
_EXIT = re.compile(r"\s+# exit code (\d+)$")


@dataclass(frozen=True)
class TypedCommand:
    """A typed command, and the exit code it ends with."""

    typed: str
    code: int


@dataclass(frozen=True)
class Block:
    """A block of code. note: the comment right above it."""

    page: str
    line: int
    language: str
    text: str
    note: str

    @property
    def where(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def file(self) -> str | None:
        """Where the reader puts it, if anywhere."""
        return self.note.removeprefix("file: ") if self.note.startswith("file: ") else None

    @property
    def not_run(self) -> str | None:
        """Why its commands are not run, if they are not."""
        return self.note.removeprefix("not run: ") if self.note.startswith("not run: ") else None

    @property
    def commands(self) -> list[TypedCommand]:
        """The commands of a block, each with the lines it goes on over."""
        if self.file is not None or self.language not in ("console", "sh"):
            return []
        if self.language == "sh":
            return [TypedCommand(line, 0) for line in self.text.splitlines()]
        commands: list[TypedCommand] = []
        goes_on = False
        for line in self.text.splitlines():
            if goes_on:
                commands[-1] = TypedCommand(f"{commands[-1].typed}\n{line.removeprefix('> ')}", 0)
            elif line.startswith("$ "):
                commands.append(TypedCommand(line[2:], 0))
            else:
                continue
            goes_on = line.endswith("\\")
        return [
            TypedCommand(_EXIT.sub("", command.typed), int(match[1]))
            if (match := _EXIT.search(command.typed))
            else command
            for command in commands
        ]

    @property
    def output(self) -> str:
        """The output that the page states; empty if it states none."""
        lines, goes_on = [], self.language != "console"
        for line in self.text.splitlines(keepends=True):
            typed = goes_on or line.startswith("$ ")
            goes_on = typed and line.endswith("\\\n")
            if not typed:
                lines.append(line)
        return "".join(lines)


@cache
def documentation_pages() -> tuple[str, ...]:
    """Every page a reader may open, by its path from the top."""
    return tuple(str(path.relative_to(ROOT)) for path in tracked() if path.suffix == ".md")


def read_page(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def needed_programs(page: str) -> list[str]:
    """The programs without which the page's commands cannot be run."""
    named = re.search(r"^<!-- needs: (.*) -->$", read_page(page), re.MULTILINE)
    return ["bash", *(named[1].split() if named else [])]


@cache
def code_blocks(page: str) -> tuple[Block, ...]:
    """The blocks of a page, in their order."""
    text = read_page(page)
    return tuple(
        Block(page, text.count("\n", 0, match.start()) + 1, match["language"], match["text"], match["note"] or "")
        for match in _FENCE.finditer(text)
    )
