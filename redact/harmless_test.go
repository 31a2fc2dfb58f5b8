package redact_test

import (
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retold-history/retold/redact"
)

// harmless are texts in which nothing is secret, though some of it looks so.
var harmless = []string{
	// Hashes and ids.
	"commit 9ae94705ad1fbcf813ef7f02f92912808c45250e on main, see 9ae9470",
	"tree 1f7a7a472abf3dd9643fd615f6da379c4acb3e3e1f7a7a472abf3dd9643fd615",
	"token bucket id 550e8400-e29b-41d4-a716-446655440000 and 01ARZ3NDEKTSV4RRFFQ69G5FAV",
	"nanoid V1StGXR8_Z5jdHi6B-myT, slug a-perfectly-ordinary-slug-for-a-page",
	`{"requestId":"req_011CSHoEeqs5C35K2UUqR7Fy","id":"msg_01XFDUDYJgAACzvnptvVoYEL"}`,
	`{"tool_call_id":"call_9fTnRr3JbV0KzWmQx7LpEoUc","tool_use_id":"toolu_01A09q90qw90lq917835lq9"}`,
	`{"composerId":"7d9b6ff1-5c9e-4a26-9f4c-0d1e1f6f3b52","bubbleId":"c0ffee00-5c9e-4a26-9f4c-0d1e1f6f3b52","serverBubbleId":"1b2c"}`,
	"bubbleId:7d9b6ff1-5c9e-4a26-9f4c-0d1e1f6f3b52:c0ffee00-5c9e-4a26-9f4c-0d1e1f6f3b52",
	"github.com/google/go-cmp v0.7.0 h1:wk8382ETsv4JYUZwIsn6YpYiWiBsYLSJiXsmKmPjKBI=",
	`"integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg=="`,
	`"resolved": "https://registry.npmjs.org/left-pad/-/left-pad-1.3.0.tgz#5b8a3a7765dfe001261dde915589e782f8c94d1e"`,
	"ETag: W/\"5d8c72a5edda8d6a:0\"\nX-Request-Id: 4b1f9a0e-3f0a-4f0e-a8a0-5b8a3a7765df",
	"image: registry.example/tides@sha256:9b2cbd2c4a2d9cc8f44a1ef0b1c2f3a4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0",
	"0000020: 7f45 4c46 0201 0100 dead beef cafe babe 0123 4567 89ab cdef  .ELF............",
	"goroutine 18 [running]:\nmain.(*server).token(0xc000112340, {0x7ff8a0, 0xc00009c2d0})\n\t/home/ada/tides/server.go:118 +0x1e5",
	"panic: key not found\n\tat TokenService.refresh (/home/ada/tides/src/auth/token-service.ts:42:17)",
	"/home/ada/Library/Caches/go-build/5f/5f4dcc3b5aa765d61d8327deb882cf99f3b2e1d0c9a8b7-d/token/secret/password.go",
	".token { color: #5f4dcc; background: url(/img/key-5f4dcc3b.svg) } .secret-key::before { content: '\\201c' }",
	"!function(e,t){var n=t.token||e.key;for(var r=0;r<n.length;r++)t.apiKey=n[r].key,e.secret=void 0}(window,{token:1});",
	"https://cdn.harbour.example/assets/index-B7kX9q2L.js?v=8f14e45fceea167a5a36dedd4bea2543#section-2",
	"https://harbour.example/watch?v=dQw4w9WgXcQ&list=PLrAXtmErZgOeiKm4sgNOknGvNjby9efdf",
	"git@github.com:ada/tides.git https://github.com/ada/tides.git ssh://git@harbour.example:22/tides",
	"see https://harbour.example/@ada/posts/42 or mail ada@harbour.example",
	// Words for secrets.
	"Set OPENAI_API_KEY=sk-... in your shell, never commit it.",
	"OPENAI_API_KEY=<YOUR_API_KEY>\nANTHROPIC_API_KEY=your-api-key-here\nDB_PASSWORD=changeme\nTOKEN=xxxxxxxxxxxxxxxx",
	"export OPENAI_API_KEY=$OPENAI_API_KEY\nexport T=${TOKEN:-none}\nKEY=$(pass show tides/key)",
	"const key = process.env.OPENAI_API_KEY; const t = import.meta.env.VITE_API_TOKEN;",
	"apiKey: process.env.OPENAI_API_KEY!,\n  password: config.get('db.password'),\n  secret: env.SESSION_SECRET,",
	"api_key = os.environ[\"OPENAI_API_KEY\"]\npassword = os.getenv('DB_PASSWORD', '')\n",
	"token := parser.Next()\nkey, ok := m[token]\nsecret = hmac.New(sha256.New, key)\npassword := form.Value[\"password\"]",
	"if token == token.EOF || tok.Kind == TokenString { return tokenize(s.src[start:end]) }",
	"func (t *Token) String() string { return t.value }\ntype Secret struct { Name string; Key []byte }",
	"password: string;\n  token?: string | null;\n  apiKey: SecretKeyRef;\n  secret: Buffer;",
	"The password is wrong. Please enter your password: at least 8 characters, one digit.",
	"Your token has expired; the secret: keep it simple. The key: patience. Authorization: required.",
	`{"password": "", "token": null, "apiKey": "********", "secret": "[REDACTED]", "authorization": "Bearer <token>"}`,
	`{"label": {"password": "Password", "forgot_password": "Forgot password?", "token": "Token"}}`,
	`{"type":"object","properties":{"password":{"type":"string"},"token":{"type":"string","description":"the token"}}}`,
	`<input type="password" name="password" id="password" placeholder="Password" autocomplete="current-password">`,
	"curl -H 'Authorization: Bearer $TOKEN' -H \"X-Api-Key: ${KEY}\" -u \"$USER:$PASS\" https://api.harbour.example",
	"docker run -u 1000:1000 -e POSTGRES_PASSWORD=postgres -p 5432:5432 postgres:16",
	"postgres://postgres:postgres@localhost:5432/tides and redis://localhost:6379 and https://user:password@harbour.example",
	"postgres://ada:${DB_PASSWORD}@db/tides amqp://guest:guest@localhost",
	"AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE\nAWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
	"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
	"if strings.HasPrefix(line, \"-----BEGIN RSA PRIVATE KEY-----\") { return errors.New(\"a key\") }",
	"-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\nRTESMBAGA1UEChMJQmFsdGltb3JlMRMwEQYDVQQLEwpDeWJlclRydXN0MSIwIAYD\n-----END CERTIFICATE-----",
	"-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEVs/o5+uQbTjL3chynL4wXgUg2R9\n-----END PUBLIC KEY-----",
	"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada@tide",
	"the task-runner, a disk-usage-report and risk-assessment-of-everything-in-2026-q3-and-later",
	"hf_transformers_model_configuration_loader = glc_something; npm_config_registry; npm_package_json",
	"secretName: tides-tls\n  secretKeyRef:\n    name: tides\n    key: password\n  tokenExpiration: 3600",
	"<key>CFBundleIdentifier</key><string>com.harbour.Tides2026</string>",
	"primaryKey: 'id', foreignKey: \"user_id\", cacheKey = `user:${id}:profile:v3`, queryKey: ['tides', 12]",
	"nextPageToken: \"CAUQAA\", pageToken=abc, max_tokens: 4096, tokens: 18211, stop_token=\"</s>\"",
	"CACHE_KEY=8f14e45fceea167a5a36dedd4bea2543\nPUBLIC_KEY=04a1b2c3d4e5f60718293a4b5c6d7e8f9001122334455667788990",
	"npm ERR! code E401\nnpm ERR! Incorrect or missing password.\nnpm ERR! If you were trying to login, change your password",
	"sk-learn, sk-SK, SK-2026, xoxo-, AKIA, ghp_, hf_, eyJ, AIza, glpat-",
	"mysql -u root -p tides < dump.sql && ssh -p 2222 ada@harbour.example",
	"Cookie: theme=dark; lang=en; consent=true\nSet-Cookie: theme=light; Path=/; HttpOnly",
	"a Basic example, basic authentication, bearer tokens, Basic Auth: on, the Bearer of news",
	"login ada password: see the vault", "const PASSWORD_MIN_LENGTH = 12, SECRET_ROTATION_DAYS=90",
	"SESSION_TOKEN_TTL=86400 AUTH_TOKEN_HEADER=X-Auth-Token SECRET_FILE=/run/secrets/tides_key_2026",
	"PWD=/home/ada/tides OLDPWD=/home/ada SSH_AUTH_SOCK=/tmp/ssh-XXXXXXabcd12/agent.4242",
	"private_key: ed25519.Ed25519PrivateKey,\n  private_key: \"_RSAPrivateKey\"\n password: Password1,", "from passes import ('PKPass', 'PKPassLibrary', 'PassKit2Pass')",
	"tides/boat.py,sha256=qaN-fw_htIgKU3sV9Zr4mXbT0cWq7LpEoUcYd2nJ8hQ,1234\ntides/b.py,sha256=Ab3_sk-9Zr4mXbT0cWq7LpEoUcYd2nJ8hQaaB1x,12",
	"arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf", `{"arn":"arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/tides/db-Xk9fQ2"}`,
	`API_KEY_HEADER = "X-Goog-Api-Key"`, `const TOKEN_HEADER = "X-Auth-Token", SECRET_NAME = 'tides/db-secret';`, "pod/pa-service-deployment-7d9b6ff15c-x8k2v-5c9e4a26f9c-0d1e1f6f3b52-ready",
	`{"password":"Mot de passe"}`, `{"password":"must be at least 8 characters"}`, `{"password":"required|min:8"}`, `{"password":"required|string|min:8|confirmed","pass":"Pass"}`,
	`{"password":"Пароль","passwort":"Passwort","password_confirm":"Passwort bestätigen"}`, `{"password":"パスワードは8文字以上"}`, `{"password":"Contraseña"}`, `{"password":"Le mot de passe doit contenir 8 caractères"}`,
	`password: "Enter your password", password: 'Minimum 8 characters', password: "Au moins 8 caractères"`, "Пароль: введите пароль\nмот де passe: obligatoire\nMot de passe : oublié ?\n密码：不能为空\nパスワード: 必須です",
	"| Token | Description |\n|---|---|\n| API_KEY | the key of the service |\n| password | string | required |", "**Password:** required. **Token**: see below. The api key: ask Ada. API Key: required",
	"- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: tides", `{"name":"API_KEY","value":"${API_KEY}"}`, `{"name":"API_KEY","description":"Value of the key"}`, "- name: DB_HOST\n  value: db.tides.svc.cluster.local",
	`["--password-file","/run/secrets/db","--token"]`, "pass = true; pass: 12 pass = \"compiler\"", `{"pass":"98%","status":"pass","pw":"width"}`, "gh pr create --title x --body 'the secret set is wrong'",
	"sed -E 's/(a)(b)/$1$2$5$6$/' && echo $1$ $2a$ && tar -k x -a b; 7z x -pe a.7z", "https://x.example/?password=&next=1&token&x", "a && password=$X && b & c", "pat = re.compile(x); path=a; -path b; PAT=x",
	"'It''s' \"x\"'y' and \"don't\"'", "Authorization: the server replies with 401; Authorization: Bearer required", "=== RUN   TestTides/high_1\n--- PASS: TestVetDirs/cgo2 (0.00s)\n    --- PASS: TestAddrString4Allocs (0.00s)", "cmd.Env = append(os.Environ(), \"PWD=\"+cmd.Dir, \"DB_PASSWORD=\"+pw, \"X\")", `PWD="/home/ada/My Tides 2"`,
	"A|RDPass|RDPipelineColorBlend2State|B", "f.pass = &emptyPass", `PASS="\x1b[32mPASS2xY"`, "[, passphrase: &#x3C;string|buffer>",
	"{'Authorization': 'token ' + token}", "WITH PASSWORD 'secret'; IDENTIFIED BY 'password'; PASSWORD 'must be changed'",
	"fetch(url, { credentials: 'include', headers: { 'X-CSRF-Token': csrf } })",
}

func TestHarmless(t *testing.T) {
	for _, s := range append(harmless, made()...) {
		if found := redact.Find(s); len(found) > 0 {
			t.Errorf("%s at %q in %.120q", found[0].Rule, s[found[0].Start:found[0].End], s)
		}
		if out := redact.Text(s); out != s {
			t.Errorf("changed: %.120q", out)
		}
	}
}

// made are long harmless texts.
func made() []string {
	var sum, hash, lines strings.Builder
	noise := make([]byte, 0, 200<<10)
	for i := range 6000 {
		h := sha256.Sum256(fmt.Append(nil, i))
		noise = append(noise, h[:]...)
		if i < 500 {
			fmt.Fprintf(&hash, "%x  file-%d.txt\n", h, i)
			fmt.Fprintf(&sum, "example.org/m%d v1.2.%d h1:%s\n", i, i, base64.StdEncoding.EncodeToString(h[:]))
			long := sha512.Sum512(h[:])
			fmt.Fprintf(&lines, "      \"integrity\": \"sha512-%s\",\n", base64.StdEncoding.EncodeToString(long[:]))
		}
	}
	picture := base64.StdEncoding.EncodeToString(noise)
	return []string{
		sum.String(), hash.String(), lines.String(), hex.Dump(noise[:20<<10]),
		`<img src="data:image/png;base64,` + picture + `">`,
		`{"type":"image","data":"` + picture + `"}`,
		"background: url(data:font/woff2;base64," + picture[:4000] + ")",
		hex.EncodeToString(noise[:8<<10]),
	}
}

// TestHarmlessFiles reads what lies in this repository and was written without a
// thought of secrets.
func TestHarmlessFiles(t *testing.T) {
	n := 0
	for _, root := range []string{"../demo/story", "../source", "../docs", "../render", "../internal", "../query_parse.go", "../../shared/fixtures"} {
		if _, err := os.Stat(root); err != nil {
			continue // the fixtures are not part of the repository
		}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Base(path) == "redact.md" || filepath.Base(path) == "place_test.go" { // has keys on purpose
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			n++
			for _, f := range redact.Find(string(data)) {
				t.Errorf("%s: %s at %q", path, f.Rule, data[f.Start:f.End])
			}
			return context.Cause(t.Context())
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < 50 {
		t.Errorf("read only %d files", n)
	}
}
