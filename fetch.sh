#!/usr/bin/env bash
# Clones every repository of sources.yml at its pinned commit into code/, for browsing and for the checkout transport.
# Safe to run again: what is there is kept, what broke off goes on. Exits 1 when anything failed.
#
#   ./fetch.sh                 all of them, four at a time
#   ./fetch.sh mlx llama.cpp   those whose name contains a word
#   JOBS=8 ./fetch.sh          eight at a time
#
# The work is done by `metalworking clone`, which reads sources.yml as the build does and runs git with nobody's
# configuration in force. It needs git, and Python 3.11 or later.
set -u
cd "$(dirname "$0")" || exit 1
command -v git >/dev/null || { echo "git is needed: https://git-scm.com/downloads" >&2; exit 1; }
# Of a folder without a repository around it, such as an unpacked archive, nobody can tell who made its .venv.
made_here=".venv/bin/python .venv/Scripts/python.exe"
repository=
[ ! -e .git ] || repository="--git-dir=.git --work-tree=."  # of itself git looks into none that somebody else owns
if listed=$(git -c core.fsmonitor=false $repository --icase-pathspecs ls-files -- .venv node_modules site dist build code .cache .make makefile GNUmakefile BSDmakefile .depend hatch.toml 'sitecustomize*' 'usercustomize*' ':(glob)*.py' '*.pyc' '*.pyd' '*.so' '*.pth' '*.egg' '*.egg-info*' '*.dist-info*' 2>/dev/null); then
  brought=$(printf '%s\n' "$listed" | grep -vx Makefile | head -n 1)
  if [ -n "$brought" ]; then
    echo "This branch brings $brought, which nobody made here: git rm --cached it, and delete it" >&2
    exit 1
  fi
elif [ -e .venv ]; then
  made_here=
fi

ready() { "$1" -I -c 'import mkdocs_metalworking.hosts.cli.main' 2>/dev/null; }
for python in "${PYTHON:-}" $made_here python3; do
  if [ -n "$python" ] && ready "$python"; then
    exec "$python" -I -m mkdocs_metalworking clone "$@"
  fi
done
if ! "${PYTHON:-python3}" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  echo "Python 3.11 or later is needed: https://www.python.org/downloads" >&2
  exit 1
fi
if [ -z "$made_here" ]; then
  echo "Git knows of no repository around this folder, and so nobody can tell who made its .venv. If you did: PYTHON=.venv/bin/python ./fetch.sh" >&2
  exit 1
fi
if [ -e Makefile ] && command -v make >/dev/null && make -f Makefile -s .venv/.runtime && ready .venv/bin/python; then
  exec .venv/bin/python -I -m mkdocs_metalworking clone "$@"
fi
echo "The package is not installed here. Once: python3 -m venv .venv && .venv/bin/python -m pip install -c constraints.txt -e ." >&2
exit 1
