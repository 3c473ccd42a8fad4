"""What the site needs of the Lab, as files under docs/assets/lab: ``python -m lab.site`` writes them.

book.json for the browser (probes, WGSL, CUDA's values, measurements), and tables that stand without scripts.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lab import measurements, probes, twins
from lab.chips import chips

OUT = Path(__file__).resolve().parents[1] / "docs/assets/lab"
SHOWN = "h200-vulkan"  # the machine beside which the book sets its reader's


def _number(value: float) -> str:
    if value >= 1000:
        return f"{float(f'{value:.4g}'):,.0f}"
    return f"{value:.4g}"


def _shown(row: dict[str, Any] | None) -> str:
    if row is None:
        return "not run"
    return _number(row["value"]) if row["state"] == "ok" else f"{row['state']}: {row['why']}"


def _without(told: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in told.items() if key not in names}


def _values(rows: list[dict[str, Any]]) -> dict[str, float]:
    return {f"{row['probe']}/{row['case']}": row["value"] for row in rows if row["state"] == "ok"}


def cited(case: dict[str, Any]) -> dict[str, float]:
    """Return what the book cites of chips for a case, in the probe's unit."""
    found = {}
    for chip, (value, how, _) in case.get("cited", {}).items():
        row = chips()[chip]
        scale = row["cores"] * row["clock_mhz"] / 1000 if how == "per_core" else 1
        found[chip] = float(f"{value * scale:.4g}")
    return found


def sources(probe: dict[str, Any]) -> str:
    """Return the figures that the book cites for a probe's cases, with their sources, as a sentence or nothing."""
    told = []
    for case in probe["cases"]:
        for chip, (value, how, key) in case.get("cited", {}).items():
            unit = "per core and cycle" if how == "per_core" else probe["unit"]
            told.append(f"{case['case']}, {chip}: {value:g} {unit} [@{key}]")
    return f"Cited beside these: {'; '.join(told)}.\n\n" if told else ""


def book() -> dict[str, Any]:
    """Return what the browser reads."""
    told, rows = probes.load(), twins.load()
    cuda = {
        probe["id"]: {case["case"]: value for case in probe["cases"] if (value := twins.twin(rows, case)) is not None}
        for probe in told
    }
    measured = {
        f"{probe['id']}/{case['case']}": cited(case) for probe in told for case in probe["cases"] if "cited" in case
    }
    shipped = [
        {
            **_without(probe, "pages", "differs", "no_twin"),
            "cases": [_without(case, "twin", "cited") for case in probe["cases"]],
        }
        for probe in told
    ]
    machines = [
        {**document["machine"], "date": document["date"], "values": _values(document["results"])}
        for document in measurements.load().values()
    ]
    return {"probes": shipped, "wgsl": probes.sources(told), "cuda": cuda, "cited": measured, "machines": machines}


def validity(probe: dict[str, Any], rows: list[dict[str, Any]], cuda: dict[tuple[str, str], float]) -> list[list[str]]:
    """Return the lines of a probe's table: case, WGSL, CUDA, difference, and why it is more than a tenth."""
    found = {row["case"]: row for row in rows if row["probe"] == probe["id"]}
    lines = []
    for case in probe["cases"]:
        row, value = found.get(case["case"]), twins.twin(cuda, case)
        apart = ""
        if value is not None and row and row["state"] == "ok":
            apart = f"{row['value'] / value - 1:+.1%}"
        lines.append([case["case"], _shown(row), _number(value) if value is not None else "none", apart])
    return lines


def _table(heads: list[str], lines: list[list[str]]) -> str:
    # No alignment: Python-Markdown writes it as a style attribute, which a strict policy forbids.
    return "\n".join("| " + " | ".join(line) + " |" for line in [heads, ["---"] * len(heads), *lines]) + "\n"


def files() -> dict[str, str]:
    """Return the text of every file by its path under docs/assets/lab."""
    told, cuda = probes.load(), twins.load()
    documents = measurements.load()
    rows = documents[SHOWN]["results"]
    out = {"book.json": json.dumps(book(), separators=(",", ":"), ensure_ascii=False) + "\n"}
    whole = ""
    for probe in told:
        unit = {"us": "µs"}.get(probe["unit"], probe["unit"])
        one = {"dispatches": "dispatch"}.get(probe["counts"], probe["counts"].rstrip("s"))
        what = f"{probe['counts']}, {unit}" if probe["measure"] == "rate" else f"{unit} per {one}"
        heads = [f"{probe['title']} ({what})", "H200, WGSL", "H200, CUDA", "Apart"]
        lines = validity(probe, rows, cuda)
        out[f"tables/{probe['id']}.txt"] = _table(heads, lines)
        whole += f"### {probe['title']}\n\n{probe['asks']} {' '.join(probe['why'].split())}\n\n"
        whole += _table([f"In {what}", *heads[1:]], lines) + "\n"
        for told_apart in probe.get("differs", []):
            whole += f"{' '.join(told_apart['why'].split())}\n\n"
        whole += sources(probe)
        if "no_twin" in probe:
            whole += f"{' '.join(probe['no_twin'].split())}\n\n"
    out["tables/all.txt"] = whole
    lines = [
        [
            document["machine"]["chip"],
            f"{document['machine']['os']}, {document['machine']['engine']}",
            document["date"],
            f"{sum(row['state'] == 'ok' for row in document['results'])} of {len(document['results'])}",
        ]
        for document in sorted(documents.values(), key=lambda document: document["machine"]["chip"])
    ]
    out["tables/machines.txt"] = _table(["Chip", "System and engine", "Date", "Cases with a number"], lines)
    return out


def main() -> None:
    """Write the files, and remove tables of probes that are gone."""
    made = files()
    for path in (OUT / "tables").glob("*.txt"):
        if f"tables/{path.name}" not in made:
            path.unlink()
    for name, text in made.items():
        path = OUT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
