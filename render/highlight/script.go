package highlight

// webFamily returns the tables of JavaScript, TypeScript, PHP and GraphQL.
func webFamily(language string) *grammar {
	switch language {
	case "js", "javascript", "jsx", "mjs", "cjs", "node", "ts", "typescript", "tsx", "mts", "cts":
		return &grammar{
			name: "nx", inner: "$", marks: "@#", regexps: true,
			words: words("k", "await break case catch continue debugger default delete do else finally for if in instanceof new of return switch throw try typeof void while with yield as is keyof infer satisfies asserts",
				"kr", "abstract async class const declare enum export extends from function get implements import interface let module namespace override private protected public readonly set static type var",
				"kt", "any bigint boolean never number object string symbol unknown", "kc", "true false null undefined NaN Infinity",
				"bp", "this super", "nb", "parseInt parseFloat isNaN require setTimeout setInterval clearTimeout fetch"),
			spans: []span{slashes, stars, {class: "cp", open: "#!", close: "\n", first: true}, {class: "s2", open: `"`, close: `"`, escapes: true}, single, template},
			names: map[string]string{"function": "nf", "class": "nc", "interface": "nc", "enum": "nc", "type": "nc", "namespace": "nn"},
		}
	case "php", "phtml", "blade":
		return &grammar{
			sigils: "$", fold: true,
			words: words("k", "and as break case catch clone continue declare default do echo else elseif empty endfor endforeach endif endswitch endwhile exit finally for foreach goto if include include_once instanceof insteadof isset list match new or print require require_once return switch throw try unset while xor yield",
				"kd", "abstract class const enum extends final fn function global implements interface namespace private protected public readonly static trait use var",
				"kt", "array bool callable float int iterable mixed never object string void", "kc", "true false null", "bp", "self parent"),
			spans: []span{{class: "cp", open: "<?php", close: "\n"}, {class: "cp", open: "#[", close: "]"}, slashes, stars, hash, {class: "s2", open: `"`, close: `"`, escapes: true, lines: true}, {class: "s1", open: "'", close: "'", escapes: true, lines: true}},
			names: map[string]string{"function": "nf", "class": "nc", "interface": "nc", "trait": "nc", "enum": "nc", "namespace": "nn"},
		}
	case "graphql", "gql", "graphqls":
		return &grammar{
			sigils: "$", marks: "@",
			words: words("kd", "directive enum extend fragment implements input interface mutation on query scalar schema subscription type union", "kt", "Boolean Float ID Int String", "kc", "true false null"),
			spans: []span{hash, {class: "s", open: `"""`, close: `"""`, lines: true}, double},
			names: map[string]string{"type": "nc", "input": "nc", "enum": "nc", "interface": "nc", "fragment": "nf", "query": "nf", "mutation": "nf"},
		}
	}
	return nil
}

// scriptFamily returns the tables of Python, Ruby, Lua, Perl and their like.
func scriptFamily(language string) *grammar {
	switch language {
	case "python", "py", "python3", "py3", "pyi", "pyw", "sage", "starlark", "bzl", "bazel":
		return python()
	case "ruby", "rb", "rake", "gemspec", "gemfile", "erb":
		return ruby()
	case "lua", "luau":
		return &grammar{
			words: words("k", "and break do else elseif end for goto if in not or repeat return then until while", "kd", "function local", "kc", "true false nil", "bp", "self",
				"nb", "assert error ipairs next pairs pcall print rawget rawset require select setmetatable tonumber tostring type unpack"),
			spans: []span{{class: "cm", open: "--[[", close: "]]", lines: true}, dashes, {class: "s", open: "[[", close: "]]", lines: true}, double, single},
			names: map[string]string{"function": "nf"},
		}
	case "perl", "pl", "pm", "raku":
		return &grammar{
			sigils: "$@", regexps: true,
			words: words("k", "and cmp do else elsif eq for foreach ge gt if last le lt ne next not or redo return unless until while xor", "kd", "local my our package sub use no require BEGIN END",
				"nb", "chomp close defined delete die each exists join keys length map open pop print printf push ref say shift sort splice split sprintf substr unshift values warn"),
			spans: []span{hash, double, single, template},
			names: map[string]string{"sub": "nf", "package": "nn"},
		}
	case "r", "rscript":
		return &grammar{
			inner: ".",
			words: words("k", "break else for if in next repeat return while", "kd", "function library require", "kc", "TRUE FALSE NULL NA NaN Inf"),
			spans: []span{hash, double, single},
		}
	case "julia", "jl":
		return &grammar{
			inner: "!", marks: "@",
			words: words("k", "baremodule begin break catch continue do else elseif end finally for if in isa return try using import export where while", "kd", "abstract const function global let local macro module mutable primitive quote struct type",
				"kt", "Any Bool Char Float32 Float64 Int Int32 Int64 String Symbol UInt8 Vector Matrix Dict", "kc", "true false nothing missing"),
			spans: []span{{class: "cm", open: "#=", close: "=#", lines: true, nests: true}, hash, {class: "s", open: `"""`, close: `"""`, escapes: true, lines: true}, double, {class: "sc", open: "'", close: "'", escapes: true, short: true}},
			names: map[string]string{"function": "nf", "struct": "nc", "module": "nn", "macro": "nf"},
		}
	case "elixir", "ex", "exs", "heex":
		return &grammar{
			inner: "?!", marks: "@",
			words: words("k", "after and case catch cond do else end fn for if in not or quote raise receive rescue throw try unless unquote when with", "kd", "def defdelegate defexception defguard defimpl defmacro defmodule defp defprotocol defstruct", "kn", "alias import require use", "kc", "true false nil"),
			spans: []span{hash, {class: "s", open: `"""`, close: `"""`, escapes: true, lines: true}, double, single},
			names: map[string]string{"def": "nf", "defp": "nf", "defmacro": "nf", "defmodule": "nc"},
		}
	}
	return nil
}

func python() *grammar {
	return &grammar{
		marks: "@", prefix: " r b f u t rb br fr rf rt tr ",
		words: words("k", "and as assert async await break case class continue def del elif else except finally for global if in is lambda match nonlocal not or pass raise return try while with yield",
			"kn", "import from", "kc", "True False None Ellipsis NotImplemented", "bp", "self cls",
			"nb", "abs all any bool bytes callable chr dict dir divmod enumerate eval exec filter float format frozenset getattr hasattr hash hex id input int isinstance issubclass iter len list map max min next object open ord pow print property range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip",
			"ne", "Exception ValueError TypeError KeyError IndexError RuntimeError OSError AttributeError NotImplementedError StopIteration"),
		spans: []span{
			{class: "cp", open: "#!", close: "\n", first: true}, hash,
			{class: "s2", open: `"""`, close: `"""`, escapes: true, lines: true}, {class: "s2", open: "'''", close: "'''", escapes: true, lines: true},
			{class: "s2", open: `"`, close: `"`, escapes: true}, single,
		},
		names: map[string]string{"def": "nf", "class": "nc"},
	}
}

func ruby() *grammar {
	return &grammar{
		inner: "?!", sigils: "$@", regexps: true,
		words: words("k", "alias and begin break case class def defined? do else elsif end ensure for if in module next not or redo rescue retry return super then undef unless until when while yield lambda proc raise",
			"kn", "require require_relative include extend prepend", "kc", "true false nil", "bp", "self", "nb", "attr_accessor attr_reader attr_writer puts print p loop format"),
		spans: []span{{class: "cm", open: "=begin", close: "=end", lines: true, first: true}, hash, {class: "s2", open: `"`, close: `"`, escapes: true, lines: true}, single, template},
		names: map[string]string{"def": "nf", "class": "nc", "module": "nn"},
	}
}
