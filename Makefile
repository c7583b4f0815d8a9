# Hark. `make help` lists what there is.

SHELL := /bin/sh
export PATH := $(PATH):/opt/swift/usr/bin:/usr/sbin:/sbin

PREFIX ?= /usr/local
DESTDIR ?=
# Debian's own Python: it sees Debian's modules, whatever else is on the PATH.
PYTHON ?= /usr/bin/python3
FUZZ_LINES ?= 1000000
FUZZ_REQUESTS ?= 200000
FUZZ_STATEMENTS ?= 100000
FUZZ_STEPS ?= 1000000
# How many disks `make powerloss` rebuilds, and where its chance begins (anywhere if empty).
DISKS ?= 200
SEED ?=
# What `make bench` measures, everything if empty; and how much of it.
STEPS ?=
SCALE ?= 1
# Words of the attacks `make latency` makes, all if empty.
ATTACKS ?=
FUZZ_SEED ?= $(shell od -An -N4 -tu4 /dev/urandom | tr -d ' ')

# The released programs carry the Swift runtime with them, so they run where no Swift is installed.
BUILD := swift build -c release --static-swift-stdlib
BIN := .build/release
# Windows are built where libadwaita is (`make windows` installs it); the variable has SwiftPM look at Package.swift again
# when it has come or gone.
export HARK_WINDOWS := $(shell pkg-config --modversion libadwaita-1 2>/dev/null)
PROGRAMS := harkd hark $(if $(HARK_WINDOWS),hark-dialog)

.PHONY: help run build tested windows deb release test bench latency fuzz powerloss sanitize docs site test-windows pictures lint format install uninstall clean dependencies
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':[^#]*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

dependencies:
	@packaging/dependencies build

run: build ## build what is needed and run the daemon here, in the foreground
	@$(BIN)/harkd

build: dependencies ## build harkd and hark (and hark-dialog where libadwaita is)
	@for program in $(PROGRAMS); do $(BUILD) --product $$program || exit 1; done

windows: ## install libadwaita, and build hark-dialog as well
	@packaging/dependencies build windows
	@$(MAKE) --no-print-directory build

deb: ## build Debian's packages into .build/deb, and have lintian look at them
	@packaging/dependencies build windows deb
	@packaging/deb

release: ## make the source archive, the packages and their checksums into .build/dist, from a clean tree
	@packaging/dependencies build windows deb
	@packaging/release

test: ## install what the tests need, lint, then build and run them all
	@packaging/dependencies build test
	@$(MAKE) --no-print-directory lint
	@PYTHON='$(PYTHON)' Tests/run

tested: dependencies
	@$(BUILD)

bench: build ## measure speed and memory beside Redis, logger, curl and the bare disk: one table (STEPS, SCALE)
	@packaging/dependencies bench
	@for program in hark-bench hark-fleet-load; do $(BUILD) --product $$program || exit 1; done
	@mkdir -p .build/bench && DESTDIR="$$PWD/.build/bench/installed" packaging/install $(BIN)
	@$(BIN)/hark-bench .build/bench/installed/usr/local/bin .build/bench $(SCALE) $(STEPS)

latency: build ## measure how long a client waits while others attack the daemon: one table (SCALE, ATTACKS)
	@$(BUILD) --product hark-bench
	@mkdir -p .build/bench
	@$(BIN)/hark-bench $(BIN) .build/bench $(SCALE) latency $(ATTACKS)

fuzz: tested ## damaged lines, nearly valid sequences of requests, fleets, damaged SQL (FUZZ_LINES, FUZZ_REQUESTS, FUZZ_STEPS, FUZZ_STATEMENTS, FUZZ_SEED)
	@$(BIN)/hark-fuzz lines $(FUZZ_LINES) $(FUZZ_SEED)
	@cd .build && release/hark-fuzz sequences $(FUZZ_REQUESTS) $(FUZZ_SEED)
	@$(BIN)/hark-fuzz fleet $(FUZZ_STEPS) $(FUZZ_SEED)
	@$(if $(filter-out 0,$(FUZZ_STATEMENTS)),cd Tests/SQL && HARK_SQL_MUTATIONS=$(FUZZ_STATEMENTS) HARK_SQL_SEED=$(FUZZ_SEED) $(PYTHON) -B -m unittest -k damaged)

powerloss: build ## cut the power at random moments and look for all that was promised (DISKS, SEED)
	@$(PYTHON) -B Tests/PowerLoss/powerloss.py $(BIN)/harkd --disks $(DISKS) $(if $(SEED),--seed $(SEED))

sanitize: dependencies ## have the C and C++ between Swift and the libraries watched by AddressSanitizer and UBSan
	@Tests/Sanitize/run

docs: build ## write protocol.md, openrpc.json, the manual pages of commands and settings, and the completion scripts from their tables
	@mkdir -p docs && $(BIN)/harkd --describe > .build/protocol.md && mv .build/protocol.md docs/protocol.md
	@$(BIN)/harkd --describe --json > packaging/schema/openrpc.json
	@$(BIN)/hark manual > packaging/man/hark.1
	@packaging/settings-page > packaging/man/harkd.json.5
	@$(BIN)/hark completion bash > packaging/completion/hark.bash
	@$(BIN)/hark completion zsh > packaging/completion/_hark
	@$(BIN)/hark completion fish > packaging/completion/hark.fish

site: ## make a site of the documentation into .build/site, to be read without a server
	@packaging/dependencies site
	@rm -rf .build/site && packaging/site/build .build/site

test-windows: windows ## try the windows with a screen reader and with keys alone (one minute)
	@packaging/dependencies test
	@PYTHON='$(PYTHON)' Tests/Windows/run

pictures: windows ## make the pictures of the documentation anew
	@packaging/dependencies pictures
	@cd Tests/Windows && $(PYTHON) -B -W ignore pictures.py ../../docs/images
	@cd Tests/Report && $(PYTHON) -B pictures.py ../../docs/images

lint: ## check the layout of the sources, and that only the library for Swift programs needs Foundation
	@swift format lint --strict --recursive --parallel Package.swift Sources Tests
	@! grep -rn '^[a-z ]*import Foundation' $(filter-out Sources/Hark,$(wildcard Sources/*))

format: ## lay out the sources
	@swift format --in-place --recursive --parallel Package.swift Sources Tests

install: ## put programs, units, manual pages and completion in place (PREFIX, DESTDIR)
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' packaging/install $(BIN)

uninstall: ## take them away again; events and settings stay
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' packaging/install --remove

clean: ## remove everything that was built
	@rm -rf .build
