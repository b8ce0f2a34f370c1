"""JSON by the compiled halves of the standard library's module alone.

`import json` takes longer than all the rest that a hook does, because it loads regular expressions
that its compiled scanner and encoder have no use for. These two are asked directly. Where a Python
has them no more, or with other arguments, and where a text is no JSON, the module itself decides.
"""


class _Scanning:
    """Options that the compiled scanner asks for."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    array_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def read_json(text: str) -> object:
    """Parse JSON.

    Raises:
        ValueError: it is none.
    """
    text = text.strip(" \t\n\r\ufeff")
    try:
        from _json import make_scanner

        value, end = make_scanner(_Scanning)(text, 0)  # type: ignore[arg-type]  # it asks for attributes
    except (ImportError, AttributeError, TypeError, SystemError, StopIteration, ValueError):
        return _read_anyhow(text)
    except RecursionError as error:
        raise ValueError("JSON that is nested too deeply") from error
    if end != len(text):
        raise ValueError("more than one JSON value")
    return value


def write_json(value: object) -> str:
    """Write a value as JSON on one line, in ASCII.

    Raises:
        TypeError: JSON has no such value.
        ValueError: JSON has no such value.
    """
    try:
        from _json import encode_basestring_ascii, make_encoder

        encode = make_encoder(
            None, _refuse, encode_basestring_ascii, None, ":", ",", False, False, False
        )
    except (ImportError, AttributeError, TypeError):
        import json

        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    return "".join(encode(value, 0))


def _read_anyhow(text: str) -> object:
    """Parse a text with the standard library's module, whose errors tell what is no JSON."""
    import json

    return json.loads(text, strict=False)


def _refuse(value: object) -> object:
    raise TypeError(f"JSON has no {type(value).__name__}")
