package highlight

// otherFamily returns the tables of languages that resemble none of the rest.
func otherFamily(language string) *grammar {
	switch language {
	case "sql", "postgresql", "postgres", "psql", "plpgsql", "mysql", "sqlite", "tsql", "ddl":
		return sql()
	case "haskell", "hs", "elm", "purescript":
		return &grammar{
			inner: "'",
			words: words("k", "case class data default deriving do else family forall foreign hiding if import in infix infixl infixr instance let module newtype of qualified then type where as exposing port",
				"kt", "Bool Char Double Either Float IO Int Integer Maybe Ordering String Text Word", "kc", "True False Nothing Just Left Right"),
			spans: []span{{class: "cm", open: "{-", close: "-}", lines: true, nests: true}, dashes, {class: "s", open: `"""`, close: `"""`, lines: true}, double, {class: "sc", open: "'", close: "'", escapes: true, short: true}},
			names: map[string]string{"data": "nc", "newtype": "nc", "class": "nc", "module": "nn"},
		}
	case "ocaml", "ml", "mli", "fsharp", "f#", "fs", "fsx", "reason":
		return &grammar{
			inner: "'",
			words: words("k", "and as assert begin do done downto else end exception external for fun function functor if in include inherit initializer lazy match method mutable new object of open or private rec sig struct then to try type val virtual when while with yield return use elif",
				"kd", "class let module namespace member static abstract override", "kt", "array bool char float int list option string unit seq", "kc", "true false None Some null"),
			spans: []span{{class: "cm", open: "(*", close: "*)", lines: true, nests: true}, slashes, double, {class: "sc", open: "'", close: "'", escapes: true, short: true}},
			names: map[string]string{"module": "nn", "type": "nc", "class": "nc"},
		}
	case "clojure", "clj", "cljs", "edn", "lisp", "scheme", "scm", "racket", "rkt", "elisp", "el", "common-lisp", "cl", "fennel":
		return &grammar{
			inner: "-!?*+<>=/.:&%", bare: true,
			words: words("k", "and begin case cond define defmacro defmethod defn defn- defmulti defonce defparameter defrecord defstruct defun defvar def do doseq dotimes fn for if if-let lambda let let* letrec loop ns or progn quote recur require setf setq unless use when when-let while", "kc", "nil true false t"),
			spans: []span{{class: "c1", open: ";", close: "\n"}, {class: "s", open: `"`, close: `"`, escapes: true, lines: true}},
		}
	case "erlang", "erl", "hrl":
		return &grammar{
			marks: "?",
			words: words("k", "after and andalso begin case catch cond else end fun if let not of or orelse receive try when xor", "kc", "true false undefined ok error"),
			spans: []span{{class: "c1", open: "%", close: "\n"}, double, single},
		}
	case "terraform", "hcl", "tf", "tfvars", "nomad":
		return &grammar{
			inner: "-",
			words: words("k", "for if in dynamic", "kd", "backend data locals module output provider required_providers resource terraform variable", "kt", "any bool list map number object set string tuple", "kc", "true false null"),
			spans: []span{hash, slashes, stars, double},
		}
	case "nix":
		return &grammar{
			inner: "-'", bare: true,
			words: words("k", "assert else if import in inherit let or rec then with", "kc", "true false null", "nb", "builtins derivation map toString throw abort"),
			spans: []span{hash, stars, {class: "s", open: "''", close: "''", lines: true}, {class: "s", open: `"`, close: `"`, escapes: true, lines: true}},
		}
	case "latex", "tex":
		return &grammar{
			sigils: `\`, bare: true,
			spans: []span{{class: "c1", open: "%", close: "\n"}},
		}
	case "vim", "viml", "vimscript":
		return &grammar{
			inner: "#:", bare: true,
			words: words("k", "call catch echo else elseif endfor endfunction endif endtry endwhile finally for function if let return set try unlet while autocmd augroup command execute map nmap nnoremap noremap silent syntax"),
			spans: []span{{class: "c1", open: `"`, close: "\n", first: true}, double, {class: "s1", open: "'", close: "'"}},
		}
	case "nginx", "nginxconf", "caddyfile", "apache", "htaccess":
		return &grammar{
			sigils: "$", inner: "-.", bare: true,
			words: words("k", "events http if include listen location map proxy_pass return rewrite root server server_name set upstream reverse_proxy file_server handle tls", "kc", "on off"),
			spans: []span{hash, double, {class: "s1", open: "'", close: "'", escapes: true}},
		}
	case "prisma":
		return &grammar{
			marks: "@",
			words: words("kd", "datasource enum generator model type", "kt", "BigInt Boolean Bytes DateTime Decimal Float Int Json String", "kc", "true false null"),
			spans: []span{slashes, double}, names: map[string]string{"model": "nc", "enum": "nc"},
		}
	}
	return nil
}

func sql() *grammar {
	return &grammar{
		fold: true,
		words: words("k", "add all alter analyze and as asc begin between by cascade case cast check collate column commit conflict constraint create cross database declare default delete desc distinct do drop else end except execute exists explain fetch filter for foreign from full function grant group having if ignore immediate in index inner insert intersect into is isolation join key language lateral left like limit materialized natural not nothing of offset on only or order outer over partition pragma primary procedure recursive references rename replace returning returns revoke right rollback row rows schema select set table temp temporary then to transaction trigger truncate union unique update using vacuum values view virtual when where window with without",
			"kt", "bigint bigserial blob boolean bytea char date datetime decimal double float int integer interval json jsonb numeric real serial smallint text time timestamp timestamptz tinyint uuid varchar", "kc", "true false null"),
		spans: []span{dashes, stars, {class: "s1", open: "'", close: "'", lines: true}, {class: "n", open: `"`, close: `"`}, {class: "n", open: "`", close: "`"}},
	}
}
