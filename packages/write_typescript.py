"""Writes the TypeScript client from the OpenAPI document: a method and types per operation.

`packages/typescript/call.js`, which sends the calls, and the README there are written by hand.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from memoria.surface.http.rest.openapi import build_openapi

FOLDER = "packages/typescript"
BY_HAND = frozenset(f"{FOLDER}/{name}" for name in ("README.md", "call.js", "call.d.ts"))
_JSON = "application/json"
_LINES = "lines"
"""Argument that stands for a whole body which is no JSON."""
_SCALARS = {"integer": "number"} | {name: name for name in ("string", "number", "boolean", "null")}
_MADE = "// Written by `python -m packages.write` from the OpenAPI document.\n"
Schema = Mapping[str, Any]


def build_typescript(version: str, project_license: str) -> dict[str, str]:
    """Return every file that is written, by its path from the top of the repository."""
    document = build_openapi()
    operations = list(_list_operations(document["paths"]))
    return {
        f"{FOLDER}/package.json": _build_package(version, project_license),
        f"{FOLDER}/index.js": _build_code(operations, version),
        f"{FOLDER}/index.d.ts": _build_types(operations, document["components"]["schemas"]),
    }


class _Operation:
    """An operation as the OpenAPI document describes it."""

    def __init__(self, path: str, method: str, described: Schema) -> None:
        self.path = path
        self.method = method.upper()
        self.name: str = described["operationId"]
        self.summary: str = described["summary"]
        first, *rest = self.name.split("_")
        self.method_name = first + "".join(map(str.capitalize, rest))
        self.arguments_name = f"{''.join(map(str.capitalize, (first, *rest)))}Arguments"
        self.takes_key = False
        self.reads = described["x-access"] == "read"
        self.properties = dict[str, Schema]()
        self.required = set[str]()
        for one in described["parameters"]:
            if one["in"] == "header":
                self.takes_key |= one["name"] == "Idempotency-Key"
                continue
            form = one if "schema" in one else one["content"]["application/json"]
            self.properties[one["name"]] = form["schema"]
            self.required |= {one["name"]} if one["required"] else set()
        self.takes: str | None = None
        if "requestBody" in described:
            ((self.takes, body),) = described["requestBody"]["content"].items()
            self.properties |= body["schema"].get("properties", {})
            self.required |= set(body["schema"].get("required", ()))
        done = next(one for status, one in described["responses"].items() if status[0] == "2")
        ((self.answers, answer),) = done["content"].items()
        self.answer: str = write_type(answer["schema"]) if "schema" in answer else "Response"

    def write_call(self) -> str:
        """Write how it is called, for `call.js`; a body and an answer are JSON if it says none."""
        call: dict[str, object] = {"method": self.method, "path": self.path}
        kinds = {"takes": self.takes, "answers": self.answers}
        call |= {name: kind for name, kind in kinds.items() if kind and kind != _JSON}
        call |= {"reads": True} if self.reads else {}
        return f"{{ {', '.join(f'{name}: {json.dumps(one)}' for name, one in call.items())} }}"

    def write_signature(self) -> str:
        """Write the method's type."""
        mark = "" if self.required or self.takes not in (None, _JSON) else "?"
        taken = f"given{mark}: {self.arguments_name}, options?: CallOptions"
        return f"{self.method_name}({taken}): Promise<{self.answer}>;"

    def write_arguments(self) -> str:
        """Write the type of its arguments."""
        if self.takes not in (None, _JSON):
            fields = f"  /** The body, as {self.takes}. */\n  {_LINES}: BodyInit;\n"
        else:
            fields = _write_fields(self.properties, self.required)
        return f"export interface {self.arguments_name} {{\n{fields}}}\n"


def write_type(schema: Schema) -> str:
    """Write the type of a JSON schema; what a schema leaves open is `unknown`.

    >>> write_type({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}})
    '(string | null)[]'
    """
    match schema:
        case {"$ref": str(ref)}:
            return ref.rpartition("/")[2]
        case {"anyOf": list(forms)}:
            return " | ".join(dict.fromkeys(map(write_type, forms)))
        case {"enum": list(values)}:
            return " | ".join(map(json.dumps, values))
        case {"type": "array"}:
            inner = write_type(schema.get("items", {}))
            return f"({inner})[]" if " " in inner else f"{inner}[]"
        case {"type": "object"}:
            return _write_object(schema)
        case _:
            return _SCALARS.get(schema.get("type", ""), "unknown")


def _write_object(schema: Schema) -> str:
    if "properties" in schema:
        fields = _write_fields(schema["properties"], set(schema.get("required", ())))
        return f"{{\n{fields}}}"
    values = schema.get("additionalProperties", {})
    held = write_type(values if isinstance(values, dict) else {})
    if "propertyNames" in schema:
        return f"Partial<Record<{write_type(schema['propertyNames'])}, {held}>>"
    return f"Record<string, {held}>"


def _write_fields(properties: Mapping[str, Schema], required: set[str]) -> str:
    return "".join(
        f"{_comment(one.get('description'), '  ')}  {name}{'' if name in required else '?'}: "
        f"{write_type(one) if name in required else _without_null(write_type(one))};\n"
        for name, one in properties.items()
    )


def _without_null(written: str) -> str:
    """Leave out the null of a field that may be left out, for then it is: null is in no answer."""
    return re.sub(r" \| null$", "", written)


def _list_operations(paths: Mapping[str, Mapping[str, Schema]]) -> Iterator[_Operation]:
    for path, methods in paths.items():
        for method, described in methods.items():
            yield _Operation(path, method, described)


def _build_code(operations: list[_Operation], version: str) -> str:
    calls = "".join(f"  {one.name}: {one.write_call()},\n" for one in operations)
    methods = "\n".join(
        f"{_comment(one.summary, '  ')}  {one.method_name}(given, options) {{\n"
        f'    return this.body("{one.name}", given, options);\n  }}\n'
        for one in operations
    )
    return f"""{_MADE}import {{ Caller }} from "./call.js";

export {{ MemoriaProblem }} from "./call.js";

const OPERATIONS = {{
{calls}}};

/** One tenant's memory on a server: a method per operation of its REST interface. */
export class Memoria extends Caller {{
  constructor(options) {{
    super(options, OPERATIONS, "memoria-typescript/{version}");
  }}

{methods}}}
"""


def _build_types(operations: list[_Operation], schemas: Mapping[str, Schema]) -> str:
    parts = [
        f'{_MADE}import {{ Caller, type CallOptions, type MemoriaOptions }} from "./call.js";\n\n'
        'export { MemoriaProblem } from "./call.js";\n'
        'export type { Answer, CallOptions, MemoriaOptions, RequestOptions } from "./call.js";\n',
        *(_write_schema(name, one) for name, one in sorted(schemas.items())),
        *(one.write_arguments() for one in operations),
        _write_table(operations),
        _write_class(operations),
    ]
    return "\n".join(parts)


def _write_schema(name: str, schema: Schema) -> str:
    said = _comment(schema.get("description"), "")
    if "properties" in schema:
        return f"{said}export interface {name} {_write_object(schema)}\n"
    return f"{said}export type {name} = {write_type(schema)};\n"


def _write_table(operations: list[_Operation]) -> str:
    rows = "".join(
        f"  {one.name}: {{ arguments: {one.arguments_name}; answer: {one.answer} }};\n"
        for one in operations
    )
    head = "/** Arguments and answer of each operation. */\n"
    return f"{head}export interface Operations {{\n{rows}}}\n"


def _write_class(operations: list[_Operation]) -> str:
    methods = "".join(
        f"{_comment(one.summary + _tell_key(one), '  ')}  {one.write_signature()}\n"
        for one in operations
    )
    return (
        "/** One tenant's memory on a server: a method per operation of its REST interface. */\n"
        "export declare class Memoria extends Caller<Operations> {\n"
        f"  constructor(options: MemoriaOptions);\n{methods}}}\n"
    )


def _tell_key(operation: _Operation) -> str:
    return " Repeat it with the same `idempotencyKey`." if operation.takes_key else ""


def _comment(text: str | None, indent: str) -> str:
    if not text:
        return ""
    lines = text.replace("*/", "* /").splitlines()
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    body = "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines)
    return f"{indent}/**\n{body}{indent} */\n"


def _build_package(version: str, project_license: str) -> str:
    package = {
        "name": "memoria-client",
        "version": version,
        "description": "Client of a Memoria server: long-term memory for LLM agents.",
        "license": project_license,
        "type": "module",
        "exports": {".": {"types": "./index.d.ts", "default": "./index.js"}},
        "types": "./index.d.ts",
        "files": ["index.js", "index.d.ts", "call.js", "call.d.ts"],
        "engines": {"node": ">=22.1"},
        "sideEffects": False,
    }
    return json.dumps(package, indent=2) + "\n"
