"""A process that has imported everything and forks one child for each command it is given, so that five hundred
commands do not mean five hundred starts of Python. It speaks lines of JSON: a command in, a pid and a status out.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import json
import os
import resource
import signal
import sys


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


def main() -> None:
    import mkdocs.__main__
    import mkdocs.commands.build
    import mkdocs.commands.serve

    import mkdocs_metalworking.deliver.transports.checkout
    import mkdocs_metalworking.deliver.transports.package
    import mkdocs_metalworking.deliver.transports.raw
    import mkdocs_metalworking.deliver.transports.remote
    import mkdocs_metalworking.hosts.cli.main
    import mkdocs_metalworking.hosts.mkdocs.plugin
    from mkdocs_metalworking.hosts.cli.program import Program

    print("ready", flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child:
            print(json.dumps({"pid": child}), flush=True)
            _, status = os.waitpid(child, 0)
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
            print(json.dumps({"status": os.waitstatus_to_exitcode(status), "peak": peak}), flush=True)
            continue
        signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored below a shell's background job
        os.chdir(order["cwd"])
        null = os.open(os.devnull, os.O_RDONLY)
        out = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        for target, source in ((0, null), (1, out), (2, out)):
            os.dup2(source, target)
        os.environ.update(order.get("env", {}))
        if "file_size" in order:
            resource.setrlimit(resource.RLIMIT_FSIZE, (order["file_size"], order["file_size"]))
        if "plain" in order:
            become_plain()
        code = 70
        try:
            if order["program"] == "mkdocs":
                mkdocs.__main__.cli(order["arguments"], prog_name="mkdocs")
            else:
                program = Program(url=functools.partial("{}/{}.git".format, order["served"]))
                mkdocs_metalworking.hosts.cli.main.main(order["arguments"], prog_name="metalworking", obj=program)
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        except BaseException:
            import traceback

            traceback.print_exc()
        atexit._run_exitfuncs()  # as at the end of any program: temporary folders go
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code or 0)


if __name__ == "__main__":
    main()
