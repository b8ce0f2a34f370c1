import json
from pathlib import Path

import pytest
from training.statements import longmemeval
from training.statements.longmemeval import labelled_sentences, lost_references


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder whose one user says two things, with labels that refer to it."""
    turns = [
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "Hi!\nI keep bees, and which\nhoney is best?"},
    ]
    haystack = {"haystack_session_ids": ["one"], "haystack_sessions": [turns]}
    path = tmp_path / "data" / "longmemeval_mini" / "mn_3haystacks.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps([haystack]), "utf-8")
    labels = tmp_path / "labels.tsv"
    labels.write_text("none\tone\t1\t0\t3\nfact\tone\t1\t4\t26\t4\t15\n", "utf-8")
    monkeypatch.setattr(longmemeval, "LABELS", labels)
    monkeypatch.setenv("MEMORIA_DATA", str(tmp_path / "data"))
    return path.parent.parent


@pytest.mark.usefixtures("folder")
def test_a_reference_becomes_the_labelled_sentence_with_brackets_around_its_stating_part() -> None:
    assert list(labelled_sentences()) == [("none", "Hi!"), ("fact", "[I keep bees], and which")]


@pytest.mark.usefixtures("folder")
def test_a_reference_to_what_is_no_sentence_is_told() -> None:
    assert list(lost_references()) == []
    rows = longmemeval.LABELS.read_text("utf-8")
    longmemeval.LABELS.write_text(rows.replace("0\t3", "0\t2"), "utf-8")
    assert [lost.sentence for lost in lost_references()] == [(0, 2)]


def test_without_the_data_there_are_no_sentences_and_that_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMORIA_DATA", str(folder.parent / "elsewhere"))
    assert list(labelled_sentences()) == []
    assert "no sentences of real users" in capsys.readouterr().err


def test_every_label_refers_to_a_sentence_of_the_set() -> None:
    if not longmemeval.user_turns():
        pytest.skip("LongMemEval is not in the data folder")
    assert list(lost_references()) == []
    assert {label for label, _ in labelled_sentences()} <= {
        "fact", "goal", "instruction", "none", "preference", "relationship",
    }  # fmt: skip
