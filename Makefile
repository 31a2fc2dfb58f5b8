# make        build ./retold
# make test   everything the README's test command runs
# make check  what .ci/run runs
.PHONY: build test check fuzz lint

build:
	CGO_ENABLED=0 go build -trimpath -o retold ./cmd/retold

test:
	go test ./...

check:
	bash .ci/run

lint:
	golangci-lint run

# Every fuzz target for FUZZTIME each.
FUZZTIME ?= 60s
fuzz:
	@go list -f '{{.ImportPath}}' ./... | while read p; do \
	  for t in $$(go test -list '^Fuzz' $$p | grep '^Fuzz'); do \
	    go test $$p -run '^$$' -fuzz "^$$t\$$" -fuzztime $(FUZZTIME) || exit 1; \
	  done; done
