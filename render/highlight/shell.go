package highlight

// shellFamily returns the tables of what runs commands: shells, Dockerfiles,
// Makefiles.
func shellFamily(language string) *grammar {
	comment := hash
	comment.apart = true
	quotes := []span{{class: "s2", open: `"`, close: `"`, escapes: true, lines: true}, {class: "s1", open: "'", close: "'", lines: true}}
	switch language {
	case "sh", "bash", "shell", "zsh", "ksh", "fish", "console", "shell-session", "shellscript", "terminal", "bats":
		return &grammar{
			sigils: "$", inner: "-", bare: true,
			words: words("k", "case coproc do done elif else esac fi for function if in select then time until while end switch begin",
				"nb", "alias bg bind break builtin cd command continue declare dirs disown echo enable eval exec exit export false fg getopts hash history jobs kill let local logout popd printf pushd pwd read readonly return set shift shopt source test times trap true type typeset ulimit umask unalias unset wait sudo"),
			spans: append([]span{{class: "cp", open: "#!", close: "\n", first: true}, comment, template}, quotes...),
		}
	case "powershell", "ps1", "pwsh", "psm1":
		return &grammar{
			sigils: "$", inner: "-", bare: true, fold: true,
			words: words("k", "begin break catch class continue do else elseif end exit filter finally for foreach function if in param process return switch throw trap try until using while", "kc", "$true $false $null"),
			spans: append([]span{{class: "cm", open: "<#", close: "#>", lines: true}, comment}, quotes...),
		}
	case "bat", "cmd", "batch", "dos":
		return &grammar{
			sigils: "%", bare: true, fold: true,
			words: words("k", "call do else exist exit for goto if in not pause setlocal endlocal shift", "nb", "cd copy del dir echo md mkdir move path popd pushd rd ren set start type"),
			spans: []span{{class: "c1", open: "::", close: "\n", first: true}, {class: "c1", open: "rem ", close: "\n", first: true}, {class: "c1", open: "REM ", close: "\n", first: true}, double},
		}
	case "dockerfile", "docker", "containerfile":
		return &grammar{
			sigils: "$", inner: "-", bare: true,
			words: words("k", "ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR"),
			spans: append([]span{comment}, quotes...),
		}
	case "makefile", "make", "mk", "mak", "just", "justfile", "cmake":
		return &grammar{
			sigils: "$", inner: "-.", bare: true,
			words: words("k", "define else endef endif export ifdef ifeq ifndef ifneq include override unexport vpath if endforeach foreach function endfunction macro endmacro", "nb", "echo set cd mkdir rm cp test"),
			spans: append([]span{comment}, quotes...),
		}
	}
	return nil
}
