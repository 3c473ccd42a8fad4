"""A process that has imported everything and forks one child for each command it is given, so that five hundred
commands do not mean five hundred starts of Python. It speaks lines of JSON: a command in, a pid and a status out.

An order has ``cwd``, ``stdout`` and ``stderr`` (files; the same for both: one stream), and what to run: a ``program``
with ``arguments``, or a ``module`` with them, as ``python -m`` does. ``environment`` takes the place of this process's,
``env`` is added to it, ``stdin`` is a file.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import gc
import importlib
import json
import os
import resource
import runpy
import signal
import sys
import threading
from typing import Any

IMPORTED = (
    *("mkdocs.__main__", "mkdocs.commands.build", "mkdocs.commands.serve", "mkdocs.contrib.search.search_index"),
    *("material.plugins.search.plugin", "material.templates", "markdown.extensions.codehilite"),
    *("markdown.extensions.extra", "markdown.extensions.admonition", "markdown.extensions.toc", "colorama"),
    *("pymdownx.superfences", "pymdownx.tabbed", "pymdownx.details", "pymdownx.snippets", "pymdownx.highlight"),
    *("mkdocs_metalworking.deliver.transports.checkout", "mkdocs_metalworking.deliver.transports.package"),
    *("mkdocs_metalworking.deliver.transports.raw", "mkdocs_metalworking.deliver.transports.remote"),
    *("mkdocs_metalworking.hosts.cli.main", "mkdocs_metalworking.hosts.mkdocs.plugin", "encodings.utf_8_sig"),
)
"""What a build or a command would import; none of it has run anything by then."""


def become_plain() -> None:
    """Give up what lets root read and write where modes forbid it, here and in what is started from here."""
    libc = ctypes.CDLL(None, use_errno=True)
    override = (1 << 1) | (1 << 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    for capability in (1, 2):
        if libc.prctl(24, capability, 0, 0, 0):  # PR_CAPBSET_DROP
            raise OSError(ctypes.get_errno(), "prctl")
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    sets = (ctypes.c_uint32 * 6)()
    libc.capget(header, sets)
    for index in range(3):
        sets[index] &= ~override
    if libc.capset(header, sets):
        raise OSError(ctypes.get_errno(), "capset")


def become(order: dict[str, Any]) -> None:
    """Take the place, the streams and the limits that *order* gives."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored below a shell's background job
    os.chdir(order["cwd"])
    into = os.open(order.get("stdin", os.devnull), os.O_RDONLY)
    out = os.open(order["stdout"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    same = order["stderr"] == order["stdout"]
    errors = out if same else os.open(order["stderr"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    for target, source in ((0, into), (1, out), (2, errors)):
        os.dup2(source, target)
    if "environment" in order:
        os.environ.clear()
        os.environ.update(order["environment"])
    os.environ.update(order.get("env", {}))
    if "file_size" in order:
        resource.setrlimit(resource.RLIMIT_FSIZE, (order["file_size"], order["file_size"]))
    if "plain" in order:
        become_plain()


def run(order: dict[str, Any]) -> None:
    """Run the program or the module that *order* names."""
    if order.get("program") == "mkdocs":
        sys.modules["mkdocs.__main__"].cli(order["arguments"], prog_name="mkdocs")
    elif "program" in order:
        from mkdocs_metalworking.hosts.cli.main import main
        from mkdocs_metalworking.hosts.cli.program import Program

        program = Program(url=functools.partial("{}/{}.git".format, order["served"]))
        main(order["arguments"], prog_name="metalworking", obj=program)
    else:
        sys.argv, sys.path[0] = [order["module"], *order["arguments"]], order["cwd"]
        sys.modules.pop(f"{order['module']}.__main__", None)  # it will be __main__ itself
        runpy.run_module(order["module"], run_name="__main__", alter_sys=True)


def ended(order: dict[str, Any]) -> int:
    """Run *order* in this process and return the exit code that a Python of its own would have."""
    code: object = 70
    try:
        become(order)
        run(order)
        code = 0
    except SystemExit as end:
        code = end.code or 0
        if not isinstance(code, int):
            print(code, file=sys.stderr)
    except KeyboardInterrupt:  # outside of the program, where Python itself begins or ends
        code = 130
    except BaseException:
        import traceback

        traceback.print_exc()
        code = 1
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program is done
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()  # as at the end of any program: temporary folders go
    with contextlib.suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    return code if isinstance(code, int) else 1


def compile_material() -> None:
    """Compile Material's templates once: a small build takes longer for that than for its pages.

    They are found again by file and text, and only where Jinja is set up as MkDocs does it.
    """
    from jinja2 import BytecodeCache, Environment, TemplateError
    from jinja2.bccache import Bucket
    from mkdocs.theme import Theme

    kept: dict[str, bytes] = {}
    plain = Theme.get_env

    class Compiled(BytecodeCache):
        def load_bytecode(self, bucket: Bucket) -> None:
            if bucket.key in kept and like == setup(bucket.environment):
                bucket.bytecode_from_string(kept[bucket.key])

        def dump_bytecode(self, bucket: Bucket) -> None:
            kept.setdefault(bucket.key, bucket.bytecode_to_string())

    def setup(env: Environment) -> tuple[object, ...]:
        return (env.lexer, sorted(env.extensions), env.optimized, env.autoescape)

    def get_env(theme: Theme) -> Environment:
        env = plain(theme)
        env.bytecode_cache = Compiled()
        return env

    Theme.get_env = get_env  # type: ignore[method-assign]
    env = Theme(name="material").get_env()
    like = setup(env)
    for name in env.list_templates(filter_func=lambda name: name.endswith(".html") and name[0] != "."):
        with contextlib.suppress(TemplateError):  # of a plugin that has filters of its own
            env.get_template(name)


def list_material() -> None:
    """List Material's files once, without the 14,000 icons in its folder that begins with a dot.

    MkDocs lists them for every build and leaves out what begins so: half of what a small build costs.
    """
    from jinja2 import FileSystemLoader
    from mkdocs.theme import Theme

    plain = FileSystemLoader.list_templates
    folder = Theme(name="material").dirs[0]
    kept = [name for name in plain(FileSystemLoader(folder)) if name[0] != "."]

    def list_templates(loader: FileSystemLoader) -> list[str]:
        found = set[str]()
        for path in loader.searchpath:
            found.update(kept if path == folder else plain(FileSystemLoader(path)))
        return sorted(found)

    FileSystemLoader.list_templates = list_templates  # type: ignore[method-assign, assignment]


def main() -> None:
    for name in IMPORTED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    compile_material()
    list_material()
    import click
    import markdown

    from mkdocs_metalworking.hosts.cli.main import COMMANDS
    from mkdocs_metalworking.hosts.cli.main import main as program

    for name in COMMANDS:
        program.get_command(click.Context(program), name)
    markdown.markdown("A page", extensions=["toc", "tables", "fenced_code"])  # its patterns, and what is installed
    gc.freeze()  # what is there now is shared with the children
    print("ready", flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if not child:
            os._exit(ended(order))
        print(json.dumps({"pid": child}), flush=True)
        _, status = os.waitpid(child, 0)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        print(json.dumps({"status": os.waitstatus_to_exitcode(status), "peak": peak}), flush=True)


if __name__ == "__main__":
    main()
