package redact_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/redact"
	"github.com/retold-history/retold/redact/redacttest"
)

// values are made-up secrets without a shape of their own.
func values() map[string]string {
	v := map[string]string{}
	for _, k := range redacttest.Tokens(21) {
		v[k.Provider] = k.Value
	}
	v["hex40"] = v["datadog-app"]
	v["pass"] = "Tr0ub4dor&3xQ9!"
	v["login"] = base64.StdEncoding.EncodeToString([]byte("ada:" + v["mistral"][:16]))
	noise := v["square"][4:] + v["google-oauth"][5:]
	noise = strings.NewReplacer("-", "/", "_", ".").Replace(noise)
	v["hash53"], v["hash86"] = noise[:53], noise[53:139]
	return v
}

// TestForms masks secrets as people and tools write them. What stands in braces
// is a made-up value and must be gone, all else must stay.
func TestForms(t *testing.T) {
	v := values()
	for _, form := range []string{
		// Signs in passwords.
		"password: {pass} AWS_X=1", "docker run -e POSTGRES_PASSWORD={pass} -e X=1", "A=1\nDB_PASSWORD={pass}\nB=2", "db_password={pass}\n",
		"https://x.example/?user=ada&password={mistral}&next=1", "user=ada&password={mistral}&submit", "password={mistral}&user=ada", `{"x":"db_password=Tr0ub4dor\u00263xQ9! next"}`,
		"password: Tr0ub4dor,3xQ9!x y", "Server=db;Password={mistral};Pooling=1", "f(password={mistral}, user=ada)",
		// Docker.
		`{"auths": {"r.example": {"auth": "{login}"}}}`, `{"contents":"{\"auths\": {\"r.example\": {\"auth\": \"{login}\"}}}"}`,
		// Authorization.
		"Authorization: token {hex40}\n", "Authorization: ApiKey {login}\n", "Authorization: SSWS 00{cloudflare}\n", "Authorization: Klaviyo-API-Key {cloudflare}\n",
		"curl -H 'Authorization: token {hex40}' https://x.example", `curl -H "Authorization: ApiKey {login}" https://x.example`, `{"Authorization":"token {hex40}"}`, `{"headers":"{\"Authorization\":\"SSWS {cloudflare}\"}"}`,
		// Names.
		"SECRET_KEY_BASE={together}{datadog}\n", "GH_PAT={hex40}\n", "DATABASE_PW={mistral}\n", `pass = "{mistral}"`, `{"pass":"{mistral}"}`, `{"a":"{\"pass\":\"{mistral}\"}"}`, `{"pw":"{mistral}"}`,
		"- name: DB_PASSWORD\n  value: {mistral}\n", "env:\n  - name: API_KEY\n    value: \"{mistral}\"\n", `{"name":"API_KEY","value":"{mistral}"}`, `{"a":"{\"name\": \"API_KEY\", \"value\": \"{mistral}\"}"}`, "{\n  \"Name\": \"DB_PASSWORD\",\n  \"Value\": \"{mistral}\"\n}",
		"- name: DB_PASSWORD\\n  value: {mistral}\\n", `["psql","--password","{mistral}"]`, `["psql", "--password", "Kp4xQ9"]`, `gh secret set API_KEY --body "{mistral}"`, `gh secret set API_KEY --body="{mistral}"`, "gh secret set API_KEY -b {mistral}",
		"**Password:** {mistral}", "**Password**: `{mistral}`", "- **API key**: `{mistral}`", "| API_KEY | {mistral} |", "| `API_KEY` | `{mistral}` |", "| **Password** | {mistral} |", "API Key: {mistral}", "the api key: {mistral}", "Access Key: {mistral}",
		"Пароль: {mistral}", "пароль = \"{mistral}\"", "パスワード: {mistral}", "パスワード：{mistral}", "密码：{mistral}", "密码: {mistral}", "mot de passe : {mistral}", "Mot de passe\u00a0: {mistral}", "contraseña: {mistral}", "**Пароль:** {mistral}",
		`DB_PASSWORD="{phrase}"`, "export SSH_PASSPHRASE='blue horse 7 staple'", `{"x":"DB_PASSWORD=\"{phrase}\""}`,
		`{"x":"\u003cpassword\u003e{mistral}\u003c/password\u003e"}`, `{"x":"'password' \u003d\u003e '{mistral}'"}`, `{"x":"password \u003d {mistral}"}`,
		"https://b.example/k?X-Amz-Date=1&X-Amz-Signature={together}", "Authorization: AWS4-HMAC-SHA256 Credential=x, Signature={together}",
		"ada:$apr1$r31.Q0xZ${hash22}", "ada:$2y$10${hash53}", "HASH=$$2y$$10$${hash53}\n", "ada:$6$mQ8fR2kLpZ${hash86}:19000:0:99999:7:::",
		"7z x -p{mistral} a.7z", "7z a -p'{mistral}' a.7z b", "openssl enc -aes-256-cbc -k {mistral} -in a", "openssl rsa -passin pass:{mistral} -in a", "zip -P {mistral} a.zip b",
		"GEMINI=AQ.Ab8RN6{cloudflare}\n", "see AQ.Ab8RN6{cloudflare} there",
		"ALTER USER ada WITH PASSWORD '{mistral}';", "CREATE USER ada IDENTIFIED BY '{mistral}';", "tides --pat {mistral} --now", "|API_KEY|{mistral}|", "| 1 | API_KEY | {mistral} | x |",
		// Quotes around quotes.
		`"mysql --password='{mistral}'"`, `{"x":"'password' => '{mistral}'"}`, `{"cmd":"mysql -p'{mistral}'","n":"x"}`, `{"x":"psql --password='{mistral}'","y":"z"}`, "[\"export API_KEY='{mistral}'\", \"x\"]",
	} {
		text := form
		var secrets []string
		for name, value := range map[string]string{
			"pass": v["pass"], "mistral": v["mistral"], "login": v["login"], "hex40": v["hex40"], "cloudflare": v["cloudflare"], "together": v["together"], "datadog": v["datadog"],
			"hash22": v["hash53"][:22], "hash53": v["hash53"], "hash86": v["hash86"], "phrase": "Correct Horse 7 Battery!",
		} {
			if strings.Contains(text, "{"+name+"}") {
				text = strings.ReplaceAll(text, "{"+name+"}", value)
				secrets = append(secrets, value)
			}
		}
		for _, s := range []string{"3xQ9!", "Kp4xQ9", "blue horse"} {
			if strings.Contains(form, s) {
				secrets = append(secrets, s)
			}
		}
		out := redact.Text(text)
		for _, s := range secrets {
			for at := 0; at+5 <= len(s); at++ {
				if strings.Contains(out, s[at:at+5]) {
					t.Errorf("%s\nleaks %q: %s", form, s[at:at+5], out)
					break
				}
			}
		}
		if len(secrets) == 0 {
			t.Errorf("no secret in %s", form)
		}
		if json.Valid([]byte(text)) && !json.Valid([]byte(out)) {
			t.Errorf("%s\nis JSON no more: %s", form, out)
		}
		if json.Valid([]byte(text)) {
			masked := string(redact.JSON(json.RawMessage(text)))
			for _, s := range secrets {
				if strings.Contains(masked, s[:5]) {
					t.Errorf("%s\nJSON leaks: %s", form, masked)
				}
			}
		}
		kept := strings.FieldsFunc(form, func(r rune) bool { return strings.ContainsRune("{}", r) })
		if last := kept[len(kept)-1]; len(kept) > 1 && !strings.Contains(form, "3xQ9") && !strings.HasSuffix(form, "}") && !strings.HasSuffix(out, last) {
			t.Errorf("%s\nloses %q: %s", form, last, out)
		}
	}
}

// TestCut cuts previews and titles inside a secret, and right behind it.
func TestCut(t *testing.T) {
	v := values()
	pad := strings.Repeat("sail with the tide and read the log ", 2)
	for _, c := range []struct{ before, secret string }{
		{"postgres://ada:", v["mistral"]},
		{"https://ada:", v["mistral"]},
		{"git clone https://ada:", v["hex40"]},
		{"git clone https://", v["hex40"]},
		{`password: "`, v["mistral"]},
		{`{"password":"`, v["mistral"]},
		{`{\"password\":\"`, v["mistral"]},
		{"password: ", v["mistral"]},
		{"DB_PASSWORD=", "correct-horse-battery"},
		{`DB_PASSWORD="`, "Correct Horse 7 Battery!"},
		{"Authorization: Basic ", v["login"]},
		{"Authorization: Bearer ", v["cloudflare"]},
		{"Authorization: token ", v["hex40"]},
		{"curl -H 'Authorization: Basic ", v["login"]},
		{"Bearer ", v["cloudflare"]},
		{"Cookie: theme=dark; sid=", v["cloudflare"]},
		{"API_KEY=", v["mistral"]},
		{"apiKey: '", v["mistral"]},
		{"mot de passe : ", v["mistral"]},
		{"-----BEGIN RSA PRIVATE KEY----- ", strings.ReplaceAll(redacttest.Key(3, "")[20:], "\n", " ")},
		{"curl -u ada:", v["mistral"]},
		{"mysql -p", v["mistral"]},
		{"the key is ", v["github"]},
		{"the key is ", v["openai-project"]},
	} {
		for _, n := range []int{1, 2, 3, 5, 8, 12, 16, 19, 24, 31, 32, 39, 70, 100, 200} {
			if n > len(c.secret) {
				n = len(c.secret)
			}
			s := retold.Session{Title: c.before + c.secret[:n] + "…", FirstMessagePreview: pad[:10] + c.before + c.secret[:n] + "..."}
			redact.Session(&s)
			shared := 0
			if strings.HasPrefix(c.before, "the key") {
				shared = 8
			}
			for at := shared; at+4 <= n; at++ {
				part := c.secret[at : at+4]
				if strings.Contains(s.Title, part) || strings.Contains(s.FirstMessagePreview, part) {
					t.Errorf("%s, cut after %d: %q, %q", c.before, n, s.Title, s.FirstMessagePreview)
					break
				}
			}
			if !strings.HasSuffix(s.Title, "…") {
				t.Errorf("the mark of the cut is gone: %q", s.Title)
			}
		}
	}
	for _, title := range []string{
		"Fix the password: it is wrong and…", "Run on http://localhost:8080…", "Run on http://localhost:80", "Bearer tokens of the ne…", "Why is the basic exam…", "Use const token = parser.Ne…",
		"The Authorization: header is miss…", "Fix the pass…", "Explain -----BEGIN CERTIFICATE----- MII…", "the token: it is $TOK…", "Look at https://harbour.example/tid…", "Cookie: theme=da…",
	} {
		s := retold.Session{Title: title}
		if redact.Session(&s); s.Title != title {
			t.Errorf("%q became %q", title, s.Title)
		}
	}
}
