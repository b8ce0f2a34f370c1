"""The bench of plain statements counts what it says it counts."""

from pathlib import Path

from bench.statements import judge_line, read_file, sum_up


def test_only_the_part_in_brackets_counts_and_what_is_arguable_counts_for_nothing() -> None:
    lines = [
        ("preference", "[I prefer tea over coffee], can you suggest a shop?"),
        ("preference", "[Tea it is], and I prefer to talk about that another day?"),
        ("none", "What do I prefer?"),
        ("none", "I prefer tea over coffee."),
        ("arguable", "I prefer tea over coffee."),
    ]
    figures = sum_up([judge_line(label, text) for label, text in lines])["english"]
    assert (figures["positive"], figures["caught"], figures["false"]) == (2, 1, 1)
    assert (figures["precision"], figures["recall"]) == (0.5, 0.5)


def test_comments_and_empty_lines_of_a_file_are_no_sentences(tmp_path: Path) -> None:
    file = tmp_path / "sentences.tsv"
    file.write_text("# a comment\tx\n\nfact\tI live in Leeds.\nno tabulator\n", "utf-8")
    assert list(read_file(file)) == [("fact", "I live in Leeds.")]
