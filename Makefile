# make site   builds the book into site/, with all of its own set-up; ENGINE=properdocs or zensical by another engine
# make test   lints and runs every test, with all of its own set-up
# make serve  rebuilds while you write
# make book   the book as PDF, EPUB, one page and Markdown, in build/book/
# make bench  prints the table of docs/plugin/speed.md, measured on this machine
# make nightly  the book, every test, and all of what `make test` tries a part of: new seeds, every page and neighbour
# make real-sites  adds the plugin to public sites that quote nothing, and compares every file
# make soak   attacks and faults at length, the table of docs/plugin/trust.md, and random edits for the language server
# make fuzz   the parsers under a coverage-guided fuzzer; SECONDS=600 for longer
# make lowest  the tests of units, pages, builds and one's own code with the oldest dependencies that are allowed
# make lint   ruff, mypy and the house style of the pages; scripts and styles too, where node is
# make lint-py, make lint-prose, make lint-web   one of the three
# make release-requirements  what the release installs, with its hashes, anew from constraints.txt
# make clean  removes what make made

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime
BOOK := $(VENV)/.book
LINT := $(VENV)/.lint
DEV := $(VENV)/.dev
WEB := $(VENV)/.web
STAGE := build/zensical
ENGINE ?= mkdocs
PROPERDOCS := properdocs==1.6.7
ZENSICAL := zensical==0.0.73
export NO_MKDOCS_2_WARNING = 1
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# Hundreds of builds start in the tests, and without it each would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

LOWEST := build/lowest
REAL := build/real-sites
# By groups that tests/conftest.py names, in its order: the long ones first. By one process more than there are cores,
# since each waits for a browser, for git or for a server one sixth of its time.
SPREAD := -n $(shell expr $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1) + 1) --dist loadgroup --no-loadscope-reorder

# A tracked file where something is made would be taken for what was made, and some others are run unasked. The repository
# is named, since of itself git looks into none that somebody else owns.
TRACKED := $(shell git -c core.fsmonitor=false $(if $(wildcard .git),--git-dir=.git --work-tree=.) --icase-pathspecs ls-files -- .venv node_modules site dist build code .cache .make makefile GNUmakefile BSDmakefile .depend hatch.toml 'sitecustomize*' 'usercustomize*' ':(glob)*.py' '*.pyc' '*.pyd' '*.so' '*.pth' '*.egg' '*.egg-info*' '*.dist-info*' 2>/dev/null || echo :)
BROUGHT := $(filter-out Makefile :,$(TRACKED))
$(if $(BROUGHT),$(error This branch brings $(firstword $(BROUGHT)), which nobody made here: git rm --cached it, and delete it))
$(if $(wildcard .git),$(if $(filter :,$(TRACKED)),$(error Git does not say what this branch brings: git --git-dir=.git ls-files says why)))
# Without these, a Makefile.sh or a pyproject.toml.sh that is newer would be written over the file that it is named after.
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
Makefile: ;

.PHONY: real-sites lowest site site-mkdocs site-properdocs site-zensical serve book bench test nightly soak fuzz lint lint-py lint-prose lint-web clean constraints release-requirements chromium headless gxx neovim
.DEFAULT_GOAL := site

site: site-$(ENGINE)

site-mkdocs: $(RUNTIME)
	@$(BIN)/mkdocs build

site-properdocs: $(VENV)/.$(PROPERDOCS)
	@$(BIN)/properdocs build -f mkdocs.yml

# Zensical runs the Markdown extension and no plugins: what the plugin adds is written into a copy of docs.
site-zensical: $(VENV)/.$(ZENSICAL)
	@$(BIN)/metalworking stage $(STAGE)
	@cd $(STAGE) && $(CURDIR)/$(BIN)/zensical build --clean
	@rm -rf site && mv $(STAGE)/site site

serve: $(RUNTIME)
	@$(BIN)/mkdocs serve

book: $(BOOK) chromium
	@$(BIN)/mkdocs build -f mkdocs-book.yml

lint: lint-py lint-prose lint-web

# Pages and folders whose prose is held to the house style (docs/contributing/voice.md).
PROSE ?= README.md CONTRIBUTING.md docs

lint-prose: $(LINT)
	@$(BIN)/python -m prose $(PROSE)

lint-py: $(LINT)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

# The configurations are named: of itself stylelint takes one that lies beside a style, which may name programs.
lint-web: $(WEB)
	@if [ -d node_modules ]; then node_modules/.bin/biome lint --config-path=. --error-on-warnings --log-level=warn && \
		node_modules/.bin/stylelint --config .stylelintrc.json "mkdocs_metalworking/**/*.css" "docs/assets/**/*.css"; \
		else echo "node is not here: scripts and styles are not linted"; fi

test: lint $(DEV) headless gxx neovim
	@$(BIN)/pytest $(SPREAD) $(TESTS)

bench: $(DEV) chromium
	@$(if $(findstring --long,$(BENCH)),$(BIN)/python -I -m pip install -q mkdocs-include-markdown-plugin mkdocs-codeinclude-plugin properdocs zensical)
	@$(BIN)/python -m benchmarks.run $(BENCH)

SECONDS ?= 120

nightly: $(VENV)/.neighbours headless gxx neovim book
	@NIGHTLY=1 METALWORKING_BOOK=1 $(BIN)/pytest -q $(SPREAD)

# Public documentation sites, each a folder with its mkdocs.yml: built with and without the plugin, and compared. In an
# environment of its own, with what those sites are built with.
real-sites:
	@test -n "$(SITES)" || { echo 'make real-sites SITES="FOLDER ..." [WITHOUT="--without social"]'; exit 2; }
	@$(PYTHON) -I -m venv $(REAL) && $(REAL)/bin/python -I -m pip install -q --upgrade pip
	@$(REAL)/bin/python -I -m pip install -q -e . --group real-sites
	@$(REAL)/bin/python -m tests.adoption.real_sites $(SITES) $(WITHOUT)

# An environment of its own, since it has other versions. The floors are read from pyproject.toml.
lowest:
	@$(PYTHON) -I -m venv $(LOWEST)
	@$(PYTHON) tests/floors.py quantities > $(LOWEST)/floors.txt
	@$(LOWEST)/bin/python -I -m pip install -q -c $(LOWEST)/floors.txt -e ".[quantities]" "pytest>=8.3" "hypothesis>=6.100" "pytest-xdist>=3.6" "playwright>=1.50"
	@$(LOWEST)/bin/python -m pytest -q -n auto tests/unit tests/golden tests/builds tests/own $(TESTS)

soak: $(DEV) chromium
	@nice -n 10 $(BIN)/python -m tests.trust.soak $(SECTIONS)
	@nice -n 10 $(BIN)/python -m tests.lsp.soak 20000

fuzz: $(DEV)
	@$(BIN)/python -I -m pip install -q atheris 2>/dev/null || true
	@nice -n 10 $(BIN)/python -m tests.trust.fuzz $(SECONDS)

clean:
	rm -rf site build dist $(VENV) node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info

# Set-up. Each stamp is made anew when the project's metadata or the pinned versions change.

$(VENV)/bin/pip:
	@$(PYTHON) -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or later is needed: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -I -m venv $(VENV) || { command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq python3-venv && $(PYTHON) -I -m venv --clear $(VENV); }
	@$(BIN)/python -I -m pip install -q --upgrade pip

$(RUNTIME): $(VENV)/bin/pip pyproject.toml constraints.txt
	@$(BIN)/python -I -m pip install -q -c constraints.txt -e ".[quantities,cards]"
	@touch $@

$(BOOK): $(RUNTIME)
	@$(BIN)/python -I -m pip install -q -c constraints.txt -e ".[quantities,cards,book]"
	@touch $@

$(VENV)/.$(PROPERDOCS) $(VENV)/.$(ZENSICAL): $(RUNTIME)
	@$(BIN)/python -I -m pip install -q -c constraints.txt $(@:$(VENV)/.%=%)
	@touch $@

# The lint group alone, so that a style check needs neither the book's libraries nor the tests'.
$(LINT): $(RUNTIME)
	@$(BIN)/python -I -m pip install -q -c constraints.txt --group lint
	@touch $@

$(WEB): package.json package-lock.json | $(RUNTIME)
	@if command -v npm >/dev/null; then npm ci --silent --no-audit --no-fund; fi
	@touch $@

$(DEV): $(BOOK) $(LINT)
	@$(BIN)/python -I -m pip install -q -c constraints.txt -e ".[quantities,book,lsp,mcp]" --group dev
	@touch $@

# file-filter wants pyyaml_env_tag below 0.2, and so the pin of that one does not count here.
$(VENV)/.neighbours: $(DEV)
	@grep -vi '^pyyaml_env_tag==' constraints.txt > $(VENV)/neighbours.txt
	@$(BIN)/python -I -m pip install -q -c $(VENV)/neighbours.txt --group neighbours
	@touch $@

# The browser tests and the PDF need Chromium, Debian's; where there is no apt-get, CHROMIUM names another one.
chromium:
	@command -v "$${CHROMIUM:-chromium}" >/dev/null || { command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] && \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium fonts-dejavu-core >/dev/null; } || \
		echo "Chromium is not here: no PDF, and the browser tests will be skipped"

# The tests open a thousand pages, and without windows and tabs of its own Chromium needs half the time for each.
headless: chromium
	@command -v "$${CHROMIUM:-chromium-headless-shell}" >/dev/null || { command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] && \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium-headless-shell >/dev/null; } || \
		echo "chromium-headless-shell is not here: the browser tests will take longer"

# The ladder's kernels are compiled for the CPU by g++ (tests/ladder), and addr2line names their lines.
gxx:
	@{ command -v g++ && command -v addr2line; } >/dev/null || { command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] && \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq g++ binutils >/dev/null; } || \
		echo "g++ is not here: no Metal kernel will be run"

# uv, since pip's own resolver knows no other Python than the one it runs on: the workflow's is 3.13.
release-requirements: $(DEV)
	@$(BIN)/python -I -m pip install -q uv
	@$(BIN)/uv pip compile -q --no-config --generate-hashes --no-header --no-annotate --python-version 3.13 \
		--python-platform x86_64-manylinux_2_28 -c constraints.txt .github/release-requirements.in -o .github/release-requirements.txt
# A test writes a page in Neovim.
neovim:
	@command -v nvim >/dev/null || { command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] && \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq neovim >/dev/null; } || \
		echo "Neovim is not here: no page will be written in it"

constraints: $(DEV)
	@$(BIN)/python -I -m pip freeze --exclude-editable | grep -v '^-e\|@ file' | LC_ALL=C sort -f > constraints.txt
