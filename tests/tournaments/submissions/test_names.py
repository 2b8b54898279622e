"""A student's key and number never change, and each sheet lists the name of the entry."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from gomogo_core.errors import UserError
from tests.tournaments._commands import Command
from tests.tournaments.submissions._course_runs import COURSE_TOML, RUN_COURSE_QUICKLY, create_submissions
from tournaments.submissions.entry_names import SubmissionIdRegister, choose_table_name
from tournaments.submissions.roster import UNKNOWN_STUDENT, RosterStudent, create_roster, find_owners, read_roster


def key(title: str) -> str:
    return SubmissionIdRegister().assign_keys([title])[0]


def test_an_entry_without_latin_letters_has_its_own_name_in_tables() -> None:
    titles = ["李雷", "韩梅梅", "Łukasz Żak", "Анна 2", "x\x1b[31m李", "..."]
    public_names = [
        choose_table_name(title, key)
        for title, key in zip(titles, SubmissionIdRegister().assign_keys(titles), strict=True)
    ]
    assert public_names == ["李雷", "韩梅梅", "Lukasz-Zak", "Анна 2", "x\\x1b[31m李", "entry-3"]


@pytest.mark.parametrize(
    ("title", "expected_key"),
    [
        ("Łukasz Wałęsa", "Lukasz-Walesa"),
        ("Søren Strauß", "Soren-Strauss"),
        ("Đorđe Þór", "Dorde-Thor"),
        ("Zoë Müller", "Zoe-Muller"),
        ("Æsa Œuvre", "AEsa-OEuvre"),
        ("Işıl", "Isil"),
        ("Ħal Ŧul", "Hal-Tul"),
        ("../etc", "etc"),
        ("<script>", "script"),
        ("-rf", "rf"),
        ("李雷", "entry"),
        ("=", "entry"),
        ("student", "entry-student"),
        ("Student-2", "entry-Student-2"),
    ],
)
def test_a_key_consists_of_letters_of_the_name_and_no_student_number(title: str, expected_key: str) -> None:
    assert key(title) == expected_key


def test_equal_keys_get_numbers_and_long_keys_are_cut() -> None:
    keys = SubmissionIdRegister().assign_keys(
        ["anna", "Änna", "李雷", "韩梅梅", *("x" * 50 + str(n) for n in range(3))]
    )
    assert keys[:4] == ("anna", "Anna-2", "entry", "entry-2")
    assert len(set(keys)) == len(keys)
    assert max(map(len, keys)) <= 40


def test_keys_and_numbers_of_students_never_change_owner(tmp_path: Path) -> None:
    file = tmp_path / "names.json"

    def course_run(*titles: str) -> dict[str, tuple[str, str]]:
        register = SubmissionIdRegister(file)
        keys = register.assign_keys(titles)
        register.save()
        return {title: (key, register.public_names()[key]) for title, key in zip(titles, keys, strict=True)}

    first = course_run("韩梅梅", "李雷")
    second = course_run("一", "李雷", "韩梅梅")
    assert {title: second[title] for title in first} == first
    third = course_run("一", "丁")
    assert third["一"] == second["一"]
    assert third["丁"] not in {*second.values()}
    fourth = course_run("李雷", "Anna")
    assert fourth["李雷"] == first["李雷"]
    assert course_run("ANNA")["ANNA"] == fourth["Anna"]


def test_numbers_of_the_legacy_names_file_are_kept(tmp_path: Path) -> None:
    (tmp_path / "names").write_text(json.dumps({"anna": 2, "bert": 1}))
    register = SubmissionIdRegister(tmp_path / "names")
    register.assign_keys(["Anna", "carl"])
    assert register.public_names() == {"anna": "student-2", "bert": "student-1", "carl": "student-3"}


def test_an_unreadable_names_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "names").write_text("{")
    with pytest.raises(UserError, match="which stores the students' names and numbers"):
        SubmissionIdRegister(tmp_path / "names")


PEOPLE = (
    RosterStudent("12345", "Zoë Müller", "zoe@uni.example", "A"),
    RosterStudent("777", "Wałęsa, Łukasz", "lw@uni.example", "B"),
    RosterStudent("778", "Li Lei", "li@uni.example", "B"),
    RosterStudent("779", "Li Lei", "lei@uni.example", "A"),
)


@pytest.mark.parametrize(
    ("title", "number"),
    [
        ("12345", "12345"),
        ("zoë müller", "12345"),
        ("Łukasz Wałęsa", "777"),
        ("lw", "777"),
        ("zoe@uni.example", "12345"),
        ("Zoë Müller_8841_assignsubmission_file", "12345"),
        ("solution-777-final", "777"),
        ("778 Li Lei", "778"),
        ("Li Lei", ""),  # two are called so
        ("somebody", ""),
        ("1234", ""),
    ],
)
def test_an_entry_matches_the_student_by_id_name_or_address(title: str, number: str) -> None:
    assert find_owners([title], PEOPLE).get(title, UNKNOWN_STUDENT).id == number


def test_a_mismatch_names_the_students_that_fit() -> None:
    twins = (RosterStudent("1", "Li Lei"), RosterStudent("2", "Li Lei"))
    roster = create_roster(twins, ["Li Lei", "x"])
    assert roster is not None
    assert roster.describe_mismatches({"Li Lei": "Li Lei.zip", "x": "x"})[:2] == [
        "Li Lei.zip matches 2 students on the roster: 1, Li Lei; 2, Li Lei.",
        "x matches no student on the roster.",
    ]


def test_two_entries_of_one_student_are_refused() -> None:
    roster = create_roster(PEOPLE, ["777", "12345", "Łukasz Wałęsa"])
    assert roster is not None
    rivals = roster.conflicts_by_base_name
    message = "777 and Łukasz Wałęsa match the same student, Wałęsa, Łukasz. Which one counts?"
    assert [*rivals] == ["777", "Łukasz Wałęsa"]
    assert all(fault.startswith(message) for fault in rivals.values())


@pytest.mark.parametrize("text", ["ID;Name;E-Mail\n1;Ann;a@b\n", "\ufeffname,id,mail,x\nAnn,1,a@b,9\n\n"])
def test_a_roster_is_read_in_every_spreadsheet_dialect(tmp_path: Path, text: str) -> None:
    (tmp_path / "names.csv").write_text(text, encoding="utf-8")
    assert read_roster(tmp_path / "names.csv") == (RosterStudent("1", "Ann", "a@b"),)


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"", "no column"), (b"a,b\n1,2\n", "no column"), (b"\xff\xfe", "not UTF-8"), (None, "No such")],
)
def test_an_incomplete_roster_is_refused(tmp_path: Path, content: bytes | None, problem: str) -> None:
    if content is not None:
        (tmp_path / "names.csv").write_bytes(content)
    with pytest.raises(UserError, match=problem):
        read_roster(tmp_path / "names.csv")


def sheet() -> list[dict[str, str]]:
    with Path("course-grades/grades.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_a_student_keeps_its_row_in_the_next_course_run(command: Command) -> None:
    create_submissions("李雷", "=1+1")
    Path("course.toml").write_text(f"{COURSE_TOML}against_each_other = false\n")
    result = command(*RUN_COURSE_QUICKLY)
    assert result.code == 0
    assert {line.split()[1] for line in result.out.splitlines()[1:4]} == {"last", "李雷", "1-1"}
    first = {row["entry"]: row["student"] for row in sheet()}
    assert first == {"'=1+1": "1-1", "李雷": "entry"}
    create_submissions("一")
    assert "  李雷 (entry): version" in command("check", "course.toml", "--submissions", "in").out
    assert command(*RUN_COURSE_QUICKLY).code == 0
    assert {row["entry"]: row["student"] for row in sheet()} == {**first, "一": "entry-2"}
    assert next(iter(sheet()[0])) == "entry"
    suites = Xml.parse("course-grades/grades.xml").getroot()
    assert {(suite.get("name"), suite[0].get("classname")) for suite in suites} == {
        ("一", "entry-2"),
        ("李雷", "entry"),
        ("=1+1", "1-1"),
    }
    assert "李雷 (entry)" in Path("course-grades/table.txt").read_text(encoding="utf-8")
    standings = json.loads(Path("course-grades/standings.json").read_text(encoding="utf-8"))
    assert {player_entry["name"] for player_entry in standings["players"]} == {"last", "一", "李雷", "1-1"}


@pytest.mark.slow
def test_only_ambiguous_entries_are_refused(command: Command) -> None:
    create_submissions("anna", "bert", "carl", "12345")
    Path("in/Bert.zip").write_bytes(b"")
    Path("names.csv").write_text("id,name\n12345,Carl\n", encoding="utf-8")
    Path("course.toml").write_text(f'{COURSE_TOML}against_each_other = false\nroster = "names.csv"\n')
    assert (
        "12345 (12345): cannot play: 12345 and carl match"
        in command("check", "course.toml", *RUN_COURSE_QUICKLY[2:4]).out
    )
    assert command(*RUN_COURSE_QUICKLY).code == 0
    notes = {row["entry"]: (row["games"], row["note"].partition("? ")[0]) for row in sheet()}
    twice = "12345 and carl match the same student, Carl. Which one counts"
    problem = "The names of these entries differ only by case or suffix. Which one counts"
    assert notes == {
        "anna": ("2", ""),
        "Bert.zip and bert/": ("0", problem),
        "12345": ("0", twice),
        "carl": ("0", twice),
    }


@pytest.mark.slow
def test_a_roster_adds_student_data_to_the_sheets(command: Command) -> None:
    create_submissions("12345", "stranger")
    Path("names.csv").write_text("id,name,e-mail,group\n12345,Łukasz Żak,lz@x,A\n777,Ann,ann@x,B\n", encoding="utf-8")
    Path("course.toml").write_text(f'{COURSE_TOML}against_each_other = false\nroster = "names.csv"\n')
    assert "stranger matches no student on the roster." in command("check", "course.toml", *RUN_COURSE_QUICKLY[2:4]).out
    result = command(*RUN_COURSE_QUICKLY)
    assert result.code == 0
    assert "stranger matches no student on the roster." in result.err
    assert "777, Ann, ann@x, B is on the roster but has not submitted anything." in result.err
    rows = {row["entry"]: row for row in sheet()}
    assert [rows["12345"][column] for column in ("id", "name", "e-mail", "group")] == [
        "12345",
        "Łukasz Żak",
        "lz@x",
        "A",
    ]
    assert rows["stranger"]["name"] == ""
    table = Path("course-grades/table.txt").read_text(encoding="utf-8")
    assert "12345 (12345), 12345, Łukasz Żak, lz@x, A" in table
    assert "777, Ann, ann@x, B: has not submitted anything" in table
    assert (rows[""]["id"], rows[""]["passed"]) == ("777", "no")
    for name in ("students.csv", "grades.csv"):
        assert Path("course-grades", name).read_bytes().startswith(b"\xef\xbb\xbf"), "spreadsheets need the mark"
    suite = Xml.parse("course-grades/grades.xml").getroot()[0]
    assert ("name", "Łukasz Żak") in {
        (suite_property.get("name"), suite_property.get("value")) for suite_property in suite.iter("property")
    }
    shutil.move("names.csv", "lost.csv")
    assert "The roster" in command("check", "course.toml", "--submissions", "in").err
