package redact

import "strings"

// foreignNames are what other languages call a password.
var foreignNames = []string{
	"пароль", "Пароль", "ПАРОЛЬ", "парола", "Парола", "パスワード", "密码", "密碼", "口令", "비밀번호", "암호", "كلمة المرور", "סיסמה", "סיסמא", "κωδικός", "รหัสผ่าน",
	"passe:", "passe :", "passe\u00a0:", "passe\u202f:", `passe"`, "passe*", "passe`", "passe =", "mdp", "contraseña", "Contraseña", "CONTRASEÑA", "senha", "Senha",
	"wachtwoord", "Wachtwoord", "kennwort", "Kennwort", "hasło", "Hasło", "lösenord", "Lösenord", "jelszó", "Jelszó", "şifre", "Şifre", "mật khẩu", "Mật khẩu",
}

// findForeign takes what is said to be a password in another language.
func findForeign(t *look, _ *rule, start, end int) {
	s := t.s
	end = start + len(strings.TrimRight(s[start:end], " :=*\"`\u00a0\u202f")) // what a keyword has behind the name
	if !t.boundary(start) || end < len(s) && alnum(s[end]) {
		return
	}
	a := assignment{strength: password, called: s[start:end], start: start}
	at := emphasis(s, end)
	if q := quoteAt(s, at); q != "" {
		a.quoted = true
		at += len(q)
	}
	at = spaces(s, at)
	switch {
	case strings.HasPrefix(s[at:], "："):
		at += len("：")
	case at < len(s) && (s[at] == ':' || s[at] == '='):
		at++
	default:
		return
	}
	if a.at = spaces(s, emphasis(s, spaces(s, at))); a.at < len(s) {
		a.take(t)
	}
}

// spaces skips blanks, also those that do not break, which French has before a
// colon.
func spaces(s string, i int) int {
	for {
		j := blanks(s, i)
		for _, wide := range []string{"\u00a0", "\u202f", "\u3000"} {
			j += len(s[j:]) - len(strings.TrimPrefix(s[j:], wide))
		}
		if j == i {
			return i
		}
		i = j
	}
}
