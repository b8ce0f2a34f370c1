"""What `bench.walks` counts of a call."""

from threading import Thread

from bench.walks import Walk, Walker

from memoria.language.secrets.redact import redact

_TEXT = "the door code is 4711 since Monday"


def test_files_and_calls_between_them_are_counted() -> None:
    walker = Walker()
    with walker.watch(), walker.count():
        redact(_TEXT)
    walk = walker.sum_up()
    assert walk.files > 1
    assert walk.files - 1 <= walk.pairs <= walk.calls


def test_what_another_thread_calls_is_counted_as_well() -> None:
    walker = Walker()
    with walker.watch():
        thread = Thread(target=redact, args=(_TEXT,))
        with walker.count():
            thread.start()
            thread.join()
    assert walker.sum_up().files > 1


def test_nothing_is_counted_outside_the_call() -> None:
    walker = Walker()
    with walker.watch():
        redact(_TEXT)
        with walker.count():
            pass
        redact(_TEXT)
    assert walker.sum_up() == Walk(0, 0, 0)
