# The commands of the project. Each is a small script under scripts/.

.PHONY: help run test build check bench dev generate

help: ## say what there is
	@sed -n 's/^\([a-z]*\): ## /  make \1\t/p' Makefile | expand -t 18

run: ## build what is missing, set up on the first run, serve on 127.0.0.1:3000
	@scripts/run

test: ## run every test there is, checks first
	@scripts/test

build: ## build the release binary target/release/modelgate
	@scripts/build

check: ## format, lints, documentation, licences, generated files, console types
	@scripts/check

bench: ## run the benchmarks and print a table
	@scripts/bench

dev: ## serve with a console that reloads as you edit it
	@scripts/dev

generate: ## write the generated files anew
	@scripts/generate
