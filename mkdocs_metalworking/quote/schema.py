"""JSON Schema, as the files of a site are checked by it.

The schemas in ``schemas/`` serve editors too.
"""

from __future__ import annotations

import json
import re
import reprlib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import ValidationError

_TOLD = reprlib.Repr()
_TOLD.maxstring = _TOLD.maxother = 120
_TOLD.maxlevel = 2


def told(value: object) -> str:
    """Return *value* as a message shows it: its repr, cut in its middle where it is long."""
    return _TOLD.repr(value)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Return *pattern* as JSON Schema means it: ``$`` is the very end, where Python also takes a last line feed."""
    return re.compile(re.sub(r"\$\Z", r"\\Z", pattern))


def _pattern(_validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not _compiled(pattern).search(instance):
        yield ValidationError(f"{told(instance)} does not match {pattern!r}")


_SAID = {"type", "errorMessage", "description"}
_KEYWORDS = {
    "string": _SAID | {"pattern", "enum", "maxLength"},
    "number": _SAID | {"minimum", "maximum"},
    "boolean": _SAID,
}


def _is_right(value: Any, schema: Any) -> bool:
    """Tell whether *schema* is one of a text, a number or a truth, and *value* one as it should be.

    Most of what a file holds is; to see it here costs a tenth of a descent.
    """
    kind = schema.get("type")
    if not isinstance(kind, str) or not schema.keys() <= _KEYWORDS.get(kind, set()):
        return False
    if kind == "string":
        if not isinstance(value, str) or len(value) > schema.get("maxLength", len(value)):
            return False
        matches = "pattern" not in schema or _compiled(schema["pattern"]).search(value)
        return bool(matches) and value in schema.get("enum", (value,))
    if kind == "boolean":
        return isinstance(value, bool)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and schema.get("minimum", value) <= value <= schema.get("maximum", value)


def _properties(validator: Any, properties: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    for name, schema in properties.items():
        if name in instance and not _is_right(instance[name], schema):
            yield from validator.descend(instance[name], schema, path=name, schema_path=name)


def _property_names(validator: Any, names: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    for name in instance:
        if not _is_right(name, names):
            yield from validator.descend(instance=name, schema=names)


def _items(validator: Any, items: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if not isinstance(instance, list):
        return
    for index, item in enumerate(instance):
        if not _is_right(item, items):
            yield from validator.descend(item, items, path=index)


def _has(instance: Any, schema: Any) -> bool | None:
    """Tell whether a mapping has what *schema* requires, if it is one that only requires."""
    if schema.keys() == {"required"}:
        return all(name in instance for name in schema["required"])
    if schema.keys() == {"anyOf"}:
        found = [_has(instance, one) for one in schema["anyOf"]]
        return None if None in found else any(found)
    return None


def _one_of(validator: Any, schemas: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    found = [_has(instance, one) for one in schemas] if isinstance(instance, dict) else [None]
    if None in found or sum(map(bool, found)) != 1:
        yield from Draft202012Validator.VALIDATORS["oneOf"](validator, schemas, instance, schema)


_Validator: Any = validators.extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {
        "pattern": _pattern,
        "properties": _properties,
        "propertyNames": _property_names,
        "items": _items,
        "oneOf": _one_of,
    },
)


class Schema:
    """A JSON Schema, ready to check plain data."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self._validator = _Validator(_inlined(data, data.get("$defs", {})))

    def errors(self, data: Any) -> Iterator[ValidationError]:
        """Yield what is wrong with *data*."""
        errors: Iterator[ValidationError] = self._validator.iter_errors(data)
        return errors


def _inlined(schema: Any, definitions: dict[str, Any]) -> Any:
    """Return *schema* with what ``$ref`` names in its place: looking it up for each value takes a third of the time.

    Where the two say something of the same keyword the reference stays, and both count. No definition holds itself.
    """
    if isinstance(schema, list):
        return [_inlined(one, definitions) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inlined = {key: _inlined(value, definitions) for key, value in schema.items()}
    named = definitions.get(str(inlined.get("$ref")).removeprefix("#/$defs/"))
    if named is None or named.keys() & inlined.keys() - {"description"}:
        return inlined
    del inlined["$ref"]
    return {**_inlined(named, definitions), **inlined}


@cache
def packaged(name: str) -> Schema:
    """Return the schema in the file *name* of ``schemas/``."""
    text = resources.files("mkdocs_metalworking").joinpath("schemas", name).read_text(encoding="utf-8")
    return Schema(json.loads(text))
