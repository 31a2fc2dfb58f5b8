# make        build ./retold
# make test   everything the README's test command runs
# make check  what .ci/run runs
# make gate   this revision against the one before, measured side by side
.PHONY: build test check fuzz lint gate

build:
	CGO_ENABLED=0 go build -trimpath -o retold ./cmd/retold

test:
	go test ./...

check:
	bash .ci/run

# Fails when this revision is slower than OLD, see docs/benchmarks.md.
OLD ?= HEAD~1
gate:
	go run ./bench/gate -old $(OLD) -new HEAD

lint:
	golangci-lint run

# Every fuzz target for FUZZTIME each.
FUZZTIME ?= 60s
fuzz:
	@go list -f '{{.ImportPath}}' ./... | while read p; do \
	  for t in $$(go test -list '^Fuzz' $$p | grep '^Fuzz'); do \
	    go test $$p -run '^$$' -fuzz "^$$t\$$" -fuzztime $(FUZZTIME) || exit 1; \
	  done; done
