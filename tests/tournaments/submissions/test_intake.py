"""Untrusted submissions are copied or refused with a reason; no file is written elsewhere; all sizes are limited."""

from __future__ import annotations

import os
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from gomogo_core.errors import UserError
from tests.tournaments.submissions._class import PLAYS
from tournaments.submissions.copying import MAX_DEPTH, MAX_FILES
from tournaments.submissions.entry_names import SubmissionIdRegister
from tournaments.submissions.intake import (
    ImportedSubmissions,
    Submission,
    import_submissions,
    preparation_file,
    remove_old_copies,
)

BOT = PLAYS.format(says="hello")


@pytest.fixture
def handed_in(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


def taken(handed_in: Path, megabytes: int = 1) -> ImportedSubmissions:
    return import_submissions(handed_in, handed_in.parent / "work", megabytes, SubmissionIdRegister())


def only(handed_in: Path) -> Submission:
    """Return the only submission."""
    (submission,) = taken(handed_in).submissions
    return submission


def a_zip(handed_in: Path, fill: Callable[[zipfile.ZipFile], None]) -> Submission:
    with zipfile.ZipFile(handed_in / "anna.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        fill(archive)
    return only(handed_in)


def entry(name: str, mode: int = stat.S_IFREG | 0o644, system: int = 3) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = system, mode << 16
    return info


def test_folder_zip_and_file_of_one_program_have_the_same_hash(handed_in: Path) -> None:
    (handed_in / "anna").mkdir()
    (handed_in / "anna" / "bot.py").write_text(BOT)
    (handed_in / "bot.py").write_text(BOT)
    with zipfile.ZipFile(handed_in / "bert.zip", "w") as archive:
        archive.writestr(entry("bot.py"), BOT)
    submissions = taken(handed_in).submissions
    assert [submission.key for submission in submissions] == ["anna", "bert", "bot"]
    assert len({submission.content_hash for submission in submissions}) == 1
    assert all(submission.agent_path.read_text() == BOT and not submission.problem for submission in submissions)


def test_a_change_of_content_or_permission_changes_the_hash(handed_in: Path) -> None:
    (handed_in / "anna").mkdir()
    file = handed_in / "anna" / "bot.py"
    file.write_text(BOT)
    first = only(handed_in).content_hash
    os.utime(file, (1, 1))
    assert only(handed_in).content_hash == first
    file.chmod(0o755)
    second = only(handed_in).content_hash
    file.write_text(f"{BOT}#\n")
    assert len({first, second, only(handed_in).content_hash}) == 3


def test_a_nested_folder_is_searched_for_the_program(handed_in: Path) -> None:
    def fill(archive: zipfile.ZipFile) -> None:
        archive.writestr("anna/project/bot.py", BOT)
        archive.writestr("__MACOSX/anna/._bot.py", "?")

    assert a_zip(handed_in, fill).agent_path.relative_to(handed_in.parent / "work" / "anna").parts[1:] == (
        "anna",
        "project",
        "bot.py",
    )


@pytest.mark.parametrize(
    "name", ["../bot.py", "a/../../bot.py", "/bot.py", "..\\bot.py", "C:/bot.py", "C:\\bot.py", "a/../../../b/bot.py"]
)
def test_a_zip_entry_outside_its_folder_is_refused(handed_in: Path, name: str) -> None:
    before = {path for path in handed_in.parent.rglob("*") if "work" not in path.parts}
    archive_path = a_zip(handed_in, lambda archive: archive.writestr(entry(name), BOT))
    assert archive_path.problem == f"{name} leads out of the zip."
    after = {path for path in handed_in.parent.rglob("*") if "work" not in path.parts}
    assert {path.name for path in after - before} == {"anna.zip"}
    assert not list((handed_in.parent / "work" / "anna").iterdir())


def test_links_and_devices_in_a_zip_are_refused(handed_in: Path) -> None:
    for kind in (stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR):
        inside = entry("bot.py", kind | 0o644)
        odd = a_zip(handed_in, lambda archive, inside=inside: archive.writestr(inside, "/etc/passwd"))  # type: ignore[misc]
        assert odd.problem == "bot.py is a link, or not a plain file."


def test_a_zip_bomb_is_stopped_by_its_unpacked_size(handed_in: Path) -> None:
    """The size that an entry declares may be wrong."""
    archive = handed_in / "anna.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr(entry("bot.py"), b"0" * 5_000_000, zipfile.ZIP_DEFLATED)
    assert archive.stat().st_size < 10_000
    assert only(handed_in).problem == "Its files have more than 1 MB."
    content = archive.read_bytes().replace(struct.pack("<I", 5_000_000), struct.pack("<I", 10))
    archive.write_bytes(content)
    assert only(handed_in).problem
    assert not list((handed_in.parent / "work" / "anna").iterdir())


@pytest.mark.slow
def test_a_zip_with_too_many_files_is_refused(handed_in: Path) -> None:
    def fill(archive: zipfile.ZipFile) -> None:
        for number in range(MAX_FILES + 1):
            archive.writestr(f"{number}", "")

    assert a_zip(handed_in, fill).problem == f"It contains more than {MAX_FILES:,} files and folders."


def test_a_zip_with_a_huge_directory_is_refused(handed_in: Path) -> None:
    def fill(archive: zipfile.ZipFile) -> None:
        for number in range(50):
            info = entry(f"{number}")
            info.comment = b"?" * 60_000
            archive.writestr(info, "")

    assert a_zip(handed_in, fill).problem in (
        "The zip is larger than 1 MB.",
        f"It lists more than {MAX_FILES:,} files.",
    )
    (submission,) = taken(handed_in, megabytes=100).submissions
    assert submission.problem == f"It lists more than {MAX_FILES:,} files."


def test_a_huge_directory_announced_in_a_zip64_record_is_refused(handed_in: Path) -> None:
    files = 100_000
    directory_entry = b"PK\1\2" + bytes(24) + struct.pack("<H", 1) + bytes(16) + b"a"
    listed = directory_entry * files
    large = b"PK\6\6" + struct.pack("<QHHLLQQQQ", 44, 45, 45, 0, 0, files, files, len(listed), 0)
    locator = b"PK\6\7" + struct.pack("<LQL", 0, len(listed), 1)
    small = b"PK\5\6" + struct.pack("<HHHHLLH", 0, 0, 1, 1, len(directory_entry), 0, 0)
    archive = handed_in / "anna.zip"
    archive.write_bytes(listed + large + locator + small)
    with zipfile.ZipFile(archive) as archive_file:
        assert len(archive_file.infolist()) == files, "the attacks to refuse"
    (taken_in,) = taken(handed_in, megabytes=100).submissions
    assert taken_in.problem == f"It lists more than {MAX_FILES:,} files."
    archive.write_bytes(listed + locator + small)
    assert taken(handed_in, megabytes=100).submissions[0].problem == "It is not a readable zip."


def test_too_deeply_nested_folders_are_refused(handed_in: Path) -> None:
    archive_path = a_zip(handed_in, lambda archive: archive.writestr("a/" * (MAX_DEPTH + 1) + "bot.py", BOT))
    assert f"is nested in more than {MAX_DEPTH} folders" in archive_path.problem


@pytest.mark.parametrize("content", [b"", b"rubbish", b"PK\5\6", b"PK\5\6" + b"\0" * 18, b"PK\3\4" + b"\xff" * 300])
def test_an_invalid_zip_is_refused(handed_in: Path, content: bytes) -> None:
    (handed_in / "anna.zip").write_bytes(content)
    assert only(handed_in).problem


@pytest.mark.slow
def test_a_truncated_or_damaged_zip_is_refused(handed_in: Path) -> None:
    archive = handed_in / "anna.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr(entry("bot.py"), BOT)
    whole = archive.read_bytes()
    for place in range(len(whole)):
        archive.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        submission = only(handed_in)
        assert submission.problem or submission.agent_path.is_relative_to(handed_in.parent / "work")


def test_programs_from_a_zip_without_permissions_are_executable(handed_in: Path) -> None:
    def fill(archive: zipfile.ZipFile) -> None:
        archive.writestr(entry("agent.toml", 0, system=0), 'command = "./bot"')
        archive.writestr(entry("bot", 0, system=0), "#!/bin/sh\n")

    archive_path = a_zip(handed_in, fill)
    assert os.access(archive_path.copy_path / "bot", os.X_OK)
    assert not os.access(archive_path.copy_path / "agent.toml", os.X_OK)


def test_links_in_a_submitted_folder_are_refused(handed_in: Path) -> None:
    (handed_in / "anna").mkdir()
    (handed_in / "anna" / "bot.py").symlink_to("/etc/passwd")
    assert only(handed_in).problem == "bot.py is a link, or not a plain file."
    (handed_in / "anna" / "bot.py").unlink()
    os.mkfifo(handed_in / "anna" / "bot.py")
    assert only(handed_in).problem == "bot.py is a link, or not a plain file."


def test_a_submission_that_is_a_link_is_refused(handed_in: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "bot.py").write_text(BOT)
    (handed_in / "anna").symlink_to(tmp_path / "other")
    assert only(handed_in).problem == "It is a link."


def test_two_programs_in_one_folder_are_a_fault(handed_in: Path) -> None:
    (handed_in / "anna").mkdir()
    for name in ("a.py", "b.py"):
        (handed_in / "anna" / name).write_text(BOT)
    (handed_in / "anna" / "helper.py").write_text("X = 1\n")
    assert only(handed_in).problem.startswith("a.py and b.py have a function choose")


def test_other_archives_are_a_fault_and_other_files_are_skipped(handed_in: Path) -> None:
    (handed_in / "anna.rar").write_bytes(b"Rar!")
    (handed_in / "marks.csv").write_text("")
    (handed_in / ".hidden").write_text("")
    intake = taken(handed_in)
    assert [submission.problem for submission in intake.submissions] == [
        "A .rar file is not unpacked: hand in a folder or a .zip file."
    ]
    assert intake.skipped_names == ("marks.csv",)


def test_a_missing_folder_of_submissions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        import_submissions(tmp_path / "nowhere", tmp_path / "work", 1, SubmissionIdRegister())


def test_an_empty_folder_is_refused_after_earlier_submissions(handed_in: Path, tmp_path: Path) -> None:
    (handed_in / "anna").mkdir()
    (handed_in / "marks.csv").write_text("")
    (tmp_path / "another").mkdir()
    assert taken(tmp_path / "another").submissions == ()
    assert len(taken(handed_in).submissions) == 1
    with pytest.raises(UserError, match="contains no submissions, although there were some in an earlier run"):
        taken(tmp_path / "another")


def test_a_folder_that_contains_the_copies_is_refused(tmp_path: Path) -> None:
    (tmp_path / "handed-in" / "anna").mkdir(parents=True)
    with pytest.raises(UserError, match="the folder for copies of submissions"):
        import_submissions(tmp_path, tmp_path / "spring-submissions", 1, SubmissionIdRegister())


def test_a_finished_build_is_kept_and_an_unfinished_one_restarted(handed_in: Path) -> None:
    (handed_in / "anna").mkdir()
    (handed_in / "anna" / "bot.py").write_text(BOT)
    first = only(handed_in)
    (first.copy_path / "half built").write_text("")
    assert not (only(handed_in).copy_path / "half built").exists()
    (first.copy_path / "built").write_text("")
    preparation_file(first.copy_path).write_text("{}")
    assert (only(handed_in).copy_path / "built").exists()


def test_old_versions_of_a_submission_are_deleted(handed_in: Path) -> None:
    (handed_in / "anna").mkdir()
    (handed_in / "anna" / "bot.py").write_text(BOT)
    old = only(handed_in)
    preparation_file(old.copy_path).write_text("{}")
    (handed_in / "anna" / "bot.py").write_text(f"{BOT}#\n")
    intake = taken(handed_in)
    remove_old_copies(handed_in.parent / "work", intake)
    assert [path.name for path in (handed_in.parent / "work" / "anna").iterdir()] == [
        intake.submissions[0].content_hash
    ]


@pytest.mark.parametrize(
    "names",
    [
        ("anna", "Anna.zip"),
        ("anna.zip", "anna.py"),
        ("ANNA.tar.gz", "anna"),
        ("Zo\u00eb", "Zoe\u0308.zip"),
        ("a.ZIP", "a"),
    ],
)
def test_entries_that_differ_only_by_case_or_extension_are_one_refused_submission(
    handed_in: Path, names: tuple[str, str]
) -> None:
    for name in names:
        (handed_in / name).mkdir() if "." not in name else (handed_in / name).write_bytes(b"")
    (handed_in / "bert.py").write_text(BOT)
    refused_submission, bert = sorted(taken(handed_in).submissions, key=lambda submission: submission.key == "bert")
    assert all(name in refused_submission.original_name for name in names)
    assert "differ only by case or suffix. Which one counts?" in refused_submission.problem
    assert not bert.problem


def test_a_fifo_named_like_a_submission_is_refused_without_waiting(handed_in: Path) -> None:
    os.mkfifo(handed_in / "anna.zip")
    os.mkfifo(handed_in / "bert.py")
    faults = {submission.key: submission.problem for submission in taken(handed_in).submissions}
    assert faults == {
        "anna": "It cannot be unpacked: it is not a regular file.",
        "bert": "It cannot be read: it is not a regular file.",
    }
