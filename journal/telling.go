package journal

import (
	"path"
	"strings"
	"sync"
)

// leastTelling is how many characters besides white space a line needs to say
// where it comes from.
const leastTelling = 8

// telling reports whether a line says enough for two like it to have one origin.
// Braces, blank lines, what every file of a language holds, imports and the
// texts of licences do not. Such lines count where they stand among telling ones.
func telling(s string) bool {
	s = strings.TrimSpace(s)
	if len(s) < leastTelling {
		return false
	}
	signs, words := 0, false
	for i := range len(s) {
		c := s[i]
		if c == ' ' || c == '\t' {
			continue
		}
		signs++
		if c >= 0x80 || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' {
			words = true
		}
	}
	return words && signs >= leastTelling && !common(s) && !imports(s) && !licence(s)
}

// commonLines are what files of most projects hold, without comment marks and
// white space at the ends.
var commonLines = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for l := range strings.Lines(commonText) {
		m[strings.TrimSpace(l)] = true
	}
	return m
})

func common(s string) bool { return commonLines()[s] || commonLines()[strings.TrimRight(s, ";,:")] }

const commonText = `if err != nil {
if err == nil {
if err := cmd.Run(); err != nil {
return err
return nil
return nil, err
return nil, nil
return "", err
return 0, err
return false
return true
return null
return undefined
return result
return false, err
return None
return True
return False
return self
return this
return data
return res
return response
return value
return result, nil
} else {
} else if err != nil {
} catch (error) {
} catch (err) {
} catch (e) {
} catch {
} finally {
} catch (Exception e) {
continue
default:
defer cancel()
defer wg.Done()
defer mu.Unlock()
t.Helper()
t.Parallel()
t.Fatal(err)
t.Error(err)
log.Fatal(err)
panic(err)
ctx := context.Background()
ctx context.Context
for _, tt := range tests {
for _, tc := range tests {
for _, test := range tests {
t.Run(tt.name, func(t *testing.T) {
t.Run(tc.name, func(t *testing.T) {
func main() {
func init() {
package main
"use strict"
'use strict'
"use client"
'use client'
export default {
module.exports = {
module.exports = router
constructor() {
super(props)
console.log(error)
console.error(error)
console.error(err)
useEffect(() => {
describe('', () => {
beforeEach(() => {
afterEach(() => {
try {
else {
else:
except Exception as e:
except Exception:
finally:
def __init__(self):
def __init__(self) -> None:
def main():
def main() -> None:
def setUp(self):
def tearDown(self):
if __name__ == "__main__":
if __name__ == '__main__':
@property
@staticmethod
@classmethod
@dataclass
@override
@Override
@Test
@Autowired
@pytest.fixture
public static void main(String[] args) {
e.printStackTrace();
using namespace std;
#pragma once
#endif
#!/bin/sh
#!/bin/bash
#!/usr/bin/env bash
#!/usr/bin/env python3
#!/usr/bin/env python
#!/usr/bin/env node
# -*- coding: utf-8 -*-
set -euo pipefail
<!DOCTYPE html>
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta charset="UTF-8">
<meta charset="utf-8" />
<meta charset="UTF-8" />
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
<meta name="viewport" content="width=device-width, initial-scale=1.0" />
<?xml version="1.0" encoding="UTF-8"?>
<?xml version="1.0" encoding="utf-8"?>
<template>
</template>
<script>
</script>
<script setup>
<script setup lang="ts">
</section>
</button>
display: flex;
display: block;
display: none;
margin: 0;
padding: 0;
margin: 0 auto;
width: 100%;
height: 100%;
position: relative;
position: absolute;
align-items: center;
justify-content: center;
flex-direction: column;
font-weight: bold;
text-align: center;
box-sizing: border-box;
cursor: pointer;
"private": true,
"type": "module",
"version": "1.0.0",
"license": "MIT",
"scripts": {
"dependencies": {
"devDependencies": {
"compilerOptions": {
"strict": true,
"properties": {
"required": [
"type": "object",
"type": "string",
#[derive(Debug)]
#[derive(Debug, Clone)]
#[derive(Clone, Debug)]
#[cfg(test)]
mod tests {
use super::*;
fn main() {
impl Default for
.unwrap();
Ok(())
- uses: actions/checkout@v3
- uses: actions/checkout@v4
runs-on: ubuntu-latest
steps:
version: 2
node_modules/
__pycache__/
.DS_Store
FROM scratch
WORKDIR /app
COPY . .
## Installation
## Usage
## License
## Contributing
# Changelog
BEGIN;
COMMIT;
BEGIN TRANSACTION;
DROP TABLE IF EXISTS`

// imports recognises lines that bring in other code: everybody who needs it
// writes the same.
func imports(s string) bool {
	switch first, rest, _ := strings.Cut(s, " "); first {
	case "import":
		return true
	case "from":
		return strings.Contains(rest, " import ") || strings.HasPrefix(rest, `"`) || strings.HasPrefix(rest, "'")
	case "#include", "#import", "require", "require_relative", "using", "use", "package", "namespace", "@import", "mod", "extern":
		return len(strings.Fields(rest)) <= 2
	case "const", "let", "var":
		return strings.Contains(rest, "= require(")
	case "}":
		return strings.HasPrefix(rest, "from ")
	}
	// A quoted path alone on its line, as in Go's import lists.
	q := strings.TrimRight(s, ",")
	if len(q) > 2 && q[0] == '"' && q[len(q)-1] == '"' && !strings.ContainsAny(q[1:len(q)-1], "\" ") {
		return strings.ContainsAny(q, "/") && !strings.HasPrefix(q, `"/`) || !strings.HasSuffix(s, ",")
	}
	return false
}

// licencePhrases occur in the headers that tools and people put on every file.
var licencePhrases = []string{
	"copyright", "spdx-license-identifier", "licensed under the", "all rights reserved", "permission is hereby granted",
	"you may not use this file", "you may obtain a copy", "www.apache.org/licenses", "without warrant", "express or implied",
	"limitations under the license", "governing permissions and", "bsd-style license", "found in the license file",
	"redistribution and use in source", "gnu general public", "gnu lesser general", "mozilla public license", "gnu affero",
	"required by applicable law", "distributed under the license", "software is provided \"as is\"", "this file is part of",
	"see the license for", "in compliance with the license", "to deal in the software", "conditions of any kind",
	"merchantability", "free software foundation", "the above copyright notice",
}

// licence recognises lines of licence headers, which stand in comments.
func licence(s string) bool {
	if !strings.ContainsAny(s[:1], "/*#-<;%!\"'") && !strings.HasPrefix(s, "Copyright") {
		return false
	}
	s = strings.ToLower(s)
	for _, phrase := range licencePhrases {
		if strings.Contains(s, phrase) {
			return true
		}
	}
	return false
}

// lockFiles are written by package managers.
var lockFiles = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(`package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock
		go.sum go.work.sum Cargo.lock poetry.lock Pipfile.lock pdm.lock uv.lock Gemfile.lock composer.lock mix.lock pubspec.lock
		Podfile.lock Package.resolved packages.lock.json flake.lock gradle.lockfile conan.lock .terraform.lock.hcl`) {
		m[name] = true
	}
	return m
})

// derived reports whether a file is made by a program or somebody else's: a lock
// file, generated, minified or vendored code. What stands in it tells nothing of
// who made the commit.
func derived(p string) bool {
	name := path.Base(p)
	if lockFiles()[name] {
		return true
	}
	lower := strings.ToLower(name)
	for _, end := range []string{
		".min.js", ".min.css", ".map", ".pb.go", ".pb.cc", ".pb.h", "_pb2.py", "_pb2_grpc.py", ".pb.ts", "_pb.js", "_pb.d.ts",
		".g.dart", ".freezed.dart", ".designer.cs", ".g.cs", "_generated.go", ".generated.ts", ".generated.go", ".gen.go", ".gen.ts", "_gen.go", ".snap", ".lock", "_string.go",
	} {
		if strings.HasSuffix(lower, end) {
			return true
		}
	}
	if strings.HasPrefix(lower, "zz_generated") {
		return true
	}
	for dir := range strings.SplitSeq(path.Dir(p), "/") {
		switch dir {
		case "vendor", "node_modules", "third_party", "bower_components", ".yarn", "Pods", "__generated__", "generated", "dist":
			return true
		}
	}
	return false
}

// generatedMark recognises the lines by which generated files say so.
func generatedMark(s string) bool {
	return strings.Contains(s, "Code generated") && strings.Contains(s, "DO NOT EDIT") ||
		strings.Contains(s, "@generated") || strings.Contains(s, "<auto-generated") ||
		strings.Contains(s, "This file is automatically generated") || strings.Contains(s, "This file was automatically generated")
}
