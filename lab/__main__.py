"""``python -m lab``: run the probes on this machine's GPU and print one JSON document, the form of measurements/."""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import sys
from pathlib import Path

from lab import probes as data
from lab.gpu import Gpu
from lab.kinds import SMALL, Result, Size
from lab.run import run_all, timer

FORMAT = 1


def system() -> str:
    """Return the name and version of the operating system."""
    if sys.platform == "darwin":
        return f"macOS {platform.mac_ver()[0]}"
    return platform.system()


def report(gpu: Gpu, chip: str | None, rows: list[Result], clock: tuple[float, str], rounds: int) -> Result:
    """Return the document of one run."""
    import wgpu

    info = gpu.info
    return {
        "format": FORMAT,
        "date": datetime.date.today().isoformat(),
        "runner": "python",
        "machine": {
            "chip": chip or str(info["device"]),
            "gpu": " ".join(str(info[key]) for key in ("device", "description") if info.get(key)),
            "os": system(),
            "engine": f"wgpu {wgpu.__version__}, {info['backend_type']}",
        },
        "timer": {"kind": clock[1], "step_ns": round(clock[0] * 1e9, 3)},
        "rounds": rounds,
        "results": rows,
    }


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for; return 1 when a result was wrong or the device was lost."""
    parser = argparse.ArgumentParser(prog="python -m lab", description=__doc__)
    parser.add_argument("probe", nargs="*", help="names of probes; all when none is given")
    parser.add_argument("--list", action="store_true", help="name the probes and their cases")
    parser.add_argument("--chip", help="the chip's name as docs/machine/chips.md has it, for the report")
    parser.add_argument("--small", action="store_true", help="small sizes: results are checked, times mean nothing")
    parser.add_argument("--wall", action="store_true", help="do not use the device's timestamps")
    parser.add_argument("--out", type=Path, help="write the JSON there and the table to the terminal")
    told = parser.parse_args(arguments)
    known = data.load()
    unknown = set(told.probe) - {probe["id"] for probe in known}
    if unknown:
        parser.error(f"no probe is called {sorted(unknown)[0]}; --list names them")
    chosen = [probe for probe in known if not told.probe or probe["id"] in told.probe]
    if told.list:
        for probe in chosen:
            print(f"{probe['id']}: {probe['title']}")
            for case in data.cases(probe):
                print(f"  {case.name}")
        return 0
    gpu = Gpu(timestamps=not told.wall)
    wgsl = data.sources(known)
    latency = next(data.cases(probe)[0] for probe in known if probe["id"] == "latency")
    clock = timer(gpu, latency, wgsl[latency.values["file"]])
    size = SMALL if told.small else Size()
    rows = []
    for row in run_all(gpu, chosen, wgsl, size, clock[0]):
        rows.append(row)
        shown = f"{row['value']:g} {row['unit']}" if row["state"] == "ok" else f"{row['state']}: {row['why']}"
        print(f"{row['probe']:11} {row['case']:40} {shown}", file=sys.stderr, flush=True)
    text = json.dumps(report(gpu, told.chip, rows, clock, size.rounds), indent=1)
    if told.out:
        told.out.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    return int(any(row["state"] in ("wrong", "lost") for row in rows))


if __name__ == "__main__":
    sys.exit(main())
