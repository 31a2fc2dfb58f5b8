package redacttest

import (
	"encoding/base64"
	"strings"
)

// A Token is a made-up secret.
type Token struct {
	Provider string
	Name     string // of the variable that people keep it in
	Value    string
	Prefix   int  // bytes of Value that all such tokens share
	Named    bool // nothing but a name tells that it is one
}

// kinds are the tokens there are: provider, variable, shape. What stands before
// the first brace is shared by all. A shape that begins with ? has no mark of
// its own.
var kinds = strings.TrimSpace(`
openai           OPENAI_API_KEY            sk-{a20}T3BlbkFJ{a20}
openai-project   OPENAI_API_KEY            sk-proj-{w74}T3BlbkFJ{w74}
openai-service   OPENAI_API_KEY            sk-svcacct-{w74}T3BlbkFJ{w74}
openai-admin     OPENAI_ADMIN_KEY          sk-admin-{w58}T3BlbkFJ{w58}
anthropic        ANTHROPIC_API_KEY         sk-ant-api03-{w93}AA
anthropic-admin  ANTHROPIC_ADMIN_KEY       sk-ant-admin01-{w93}AA
anthropic-oauth  CLAUDE_CODE_OAUTH_TOKEN   sk-ant-oat01-{w93}AA
anthropic-refr   CLAUDE_REFRESH_TOKEN      sk-ant-ort01-{w93}AA
google           GOOGLE_API_KEY            AIza{w35}
google-oauth     GOOGLE_ACCESS_TOKEN       ya29.{w140}
google-client    GOOGLE_CLIENT_SECRET      GOCSPX-{w28}
gemini           GEMINI_API_KEY            AIzaSy{w33}
groq             GROQ_API_KEY              gsk_{a52}
xai              XAI_API_KEY               xai-{a80}
perplexity       PERPLEXITY_API_KEY        pplx-{a48}
openrouter       OPENROUTER_API_KEY        sk-or-v1-{x64}
deepseek         DEEPSEEK_API_KEY          sk-{x32}
mistral          MISTRAL_API_KEY           ?{a32}
cohere           COHERE_API_KEY            ?{a40}
together         TOGETHER_API_KEY          ?{x64}
huggingface      HF_TOKEN                  hf_{L34}
replicate        REPLICATE_API_TOKEN       r8_{w37}
fireworks        FIREWORKS_API_KEY         fw_{a24}
nvidia           NVIDIA_API_KEY            nvapi-{w64}
elevenlabs       ELEVENLABS_API_KEY        sk_{x48}
langsmith        LANGSMITH_API_KEY         lsv2_pt_{x32}_{x10}
cursor           CURSOR_API_KEY            crsr_{x64}
cursor-old       CURSOR_API_KEY            key_{x64}
github           GITHUB_TOKEN              ghp_{a36}
github-oauth     GITHUB_TOKEN              gho_{a36}
github-user      GITHUB_TOKEN              ghu_{a36}
github-server    GITHUB_TOKEN              ghs_{a36}
github-refresh   GITHUB_REFRESH_TOKEN      ghr_{a76}
github-fine      GITHUB_TOKEN              github_pat_{a22}_{a59}
gitlab           GITLAB_TOKEN              glpat-{w20}
gitlab-deploy    GITLAB_DEPLOY_TOKEN       gldt-{w20}
gitlab-runner    GITLAB_RUNNER_TOKEN       glrt-{w20}
gitlab-job       CI_JOB_TOKEN              glcbt-64_{w20}
gitlab-new       GITLAB_TOKEN              glpat-{w27}.01.{l9}
bitbucket        BITBUCKET_APP_PASSWORD    ATBB{a32}
atlassian        ATLASSIAN_API_TOKEN       ATATT3xFfGF0{w171}={u8}
npm              NPM_TOKEN                 npm_{a36}
pypi             TWINE_PASSWORD            pypi-AgEIcHlwaS5vcmc{w140}
rubygems         GEM_HOST_API_KEY          rubygems_{x48}
crates-io        CARGO_REGISTRY_TOKEN      cio{a32}
dockerhub        DOCKERHUB_TOKEN           dckr_pat_{w27}
linear           LINEAR_API_KEY            lin_api_{a40}
notion           NOTION_TOKEN              ntn_{a46}
notion-old       NOTION_TOKEN              secret_{a43}
figma            FIGMA_TOKEN               figd_{w40}
postman          POSTMAN_API_KEY           PMAK-{x24}-{x34}
aws-id           AWS_ACCESS_KEY_ID         AKIA{B16}
aws-session-id   AWS_ACCESS_KEY_ID         ASIA{B16}
aws-secret       AWS_SECRET_ACCESS_KEY     ?{b40}
aws-session      AWS_SESSION_TOKEN         ?IQoJb3JpZ2luX2VjE{b300}
aws-bedrock      AWS_BEARER_TOKEN_BEDROCK  ABSK{b128}==
azure-storage    AZURE_STORAGE_KEY         ?{b86}==
azure-client     AZURE_CLIENT_SECRET       {a3}8Q~{w34}
azure-openai     AZURE_OPENAI_API_KEY      {a52}JQQJ99{a26}
digitalocean     DIGITALOCEAN_TOKEN        dop_v1_{x64}
heroku           HEROKU_API_KEY            HRKU-AA{w58}
heroku-old       HEROKU_API_KEY            ?{g}
fly              FLY_API_TOKEN             fm2_{b200}
cloudflare       CLOUDFLARE_API_TOKEN      ?{w40}
cloudflare-ca    CLOUDFLARE_ORIGIN_CA_KEY  v1.0-{x24}-{x146}
vercel           VERCEL_TOKEN              ?{a24}
cloudflare-new   CLOUDFLARE_API_TOKEN      cfut_{a48}
apify            APIFY_TOKEN               apify_api_{a36}
netlify          NETLIFY_AUTH_TOKEN        nfp_{a36}
supabase         SUPABASE_ACCESS_TOKEN     sbp_{x40}
supabase-role    SUPABASE_SERVICE_ROLE_KEY {j30}.{j120}.{w43}
planetscale      PLANETSCALE_TOKEN         pscale_tkn_{w43}
neon             NEON_API_KEY              napi_{l64}
databricks       DATABRICKS_TOKEN          dapi{x32}
pinecone         PINECONE_API_KEY          pcsk_{a6}_{a63}
snowflake        SNOWFLAKE_PASSWORD        ?{P16}
datadog          DD_API_KEY                ?{x32}
datadog-app      DD_APP_KEY                ?{x40}
new-relic        NEW_RELIC_API_KEY         NRAK-{u27}
sentry           SENTRY_AUTH_TOKEN         sntrys_eyJ{a120}_{b43}
sentry-user      SENTRY_AUTH_TOKEN         sntryu_{x64}
grafana          GRAFANA_TOKEN             glsa_{a32}_{x8}
grafana-cloud    GRAFANA_CLOUD_TOKEN       glc_eyJ{a100}
shopify          SHOPIFY_ACCESS_TOKEN      shpat_{x32}
stripe           STRIPE_SECRET_KEY         sk_live_{a99}
stripe-short     STRIPE_SECRET_KEY         sk_test_{a24}
stripe-limited   STRIPE_RESTRICTED_KEY     rk_live_{a99}
stripe-webhook   STRIPE_WEBHOOK_SECRET     whsec_{a32}
square           SQUARE_ACCESS_TOKEN       EAAA{w60}
paypal           PAYPAL_CLIENT_SECRET      ?E{w79}
plaid            PLAID_ACCESS_TOKEN        access-production-{g}
twilio           TWILIO_API_KEY            SK{x32}
twilio-auth      TWILIO_AUTH_TOKEN         ?{x32}
sendgrid         SENDGRID_API_KEY          SG.{w22}.{w43}
mailgun          MAILGUN_API_KEY           key-{x32}
mailchimp        MAILCHIMP_API_KEY         {x32}-us14
slack            SLACK_BOT_TOKEN           xoxb-{d12}-{d13}-{a24}
slack-user       SLACK_TOKEN               xoxp-{d12}-{d12}-{d13}-{x32}
slack-app        SLACK_APP_TOKEN           xapp-1-A{u10}-{d13}-{x64}
slack-hook       SLACK_WEBHOOK_URL         https://hooks.slack.com/services/T{u10}/B{u10}/{a24}
discord          DISCORD_TOKEN             {M1}{A1}{a24}.G{a5}.{w38}
discord-hook     DISCORD_WEBHOOK_URL       https://discord.com/api/webhooks/{d19}/{w68}
telegram         TELEGRAM_BOT_TOKEN        {d10}:AA{w33}
doppler          DOPPLER_TOKEN             dp.pt.{a43}
vault            VAULT_TOKEN               hvs.{w95}
vault-batch      VAULT_TOKEN               hvb.{w140}
terraform        TFE_TOKEN                 {a14}.atlasv1.{w67}
pulumi           PULUMI_ACCESS_TOKEN       pul-{x40}
onepassword      OP_SERVICE_ACCOUNT_TOKEN  ops_eyJ{a400}
age              SOPS_AGE_KEY              AGE-SECRET-KEY-1{u58}
jwt              SESSION_JWT               {j30}.{j200}.{w43}
tailscale        TS_AUTHKEY                tskey-auth-{a17}-{a32}
airtable         AIRTABLE_TOKEN            pat{a14}.{x64}
postgres         DATABASE_URL              postgres://ada:{a18}@db.harbour.example:5432/tides
redis            REDIS_URL                 redis://:{a24}@cache.harbour.example:6379/0
password         DB_PASSWORD               ?{P14}
generic-secret   SESSION_SECRET            ?{b44}=
generic-key      ENCRYPTION_KEY            ?{x64}
`)

// Tokens makes up one token of each kind there is. The same seed gives the same
// ones.
func Tokens(seed uint64) []Token {
	d := dice(seed)
	var out []Token
	for line := range strings.Lines(kinds) {
		f := strings.Fields(line)
		shape, named := strings.CutPrefix(f[2], "?")
		t := Token{Provider: f[0], Name: f[1], Value: d.make(shape), Named: named}
		t.Prefix = strings.IndexByte(shape, '{')
		out = append(out, t)
	}
	return out
}

// Key is a made-up private key in PEM, lines ended by a newline.
func Key(seed uint64, kind string) string {
	d := dice(seed)
	var b strings.Builder
	b.WriteString("-----BEGIN " + kind + "-----\n")
	raw := base64.StdEncoding.EncodeToString([]byte(d.text(alphabets['a'], 1190)))
	for len(raw) > 64 {
		b.WriteString(raw[:64] + "\n")
		raw = raw[64:]
	}
	b.WriteString(raw + "\n-----END " + kind + "-----\n")
	return b.String()
}

// piece is how much of a secret in a row counts as a leak of it.
const piece = 8

// Leak returns a part of the token that stands in text, "" when none of 8 bytes
// or more does. What all tokens of its kind share is no leak, and of an address
// only its secret is one.
func (t Token) Leak(text string) string {
	secret := t.secret()
	for i := 0; i+piece <= len(secret); i++ {
		if strings.Contains(text, secret[i:i+piece]) {
			return secret[i : i+piece]
		}
	}
	return ""
}

// Watch returns a function that does for many tokens at once what Leak does for
// one, in one pass: it returns the first token of which a part stands in a text,
// and that part, "" when there is none.
func Watch(tokens []Token) func(text string) (Token, string) {
	pieces := map[string]int{}
	for i, t := range tokens {
		secret := t.secret()
		for at := 0; at+piece <= len(secret); at++ {
			pieces[secret[at:at+piece]] = i
		}
	}
	return func(text string) (Token, string) {
		for at := 0; at+piece <= len(text); at++ {
			if i, found := pieces[text[at:at+piece]]; found {
				return tokens[i], text[at : at+piece]
			}
		}
		return Token{}, ""
	}
}

// secret is the part of the value that must not be seen.
func (t Token) secret() string {
	v := t.Value[t.Prefix:]
	switch t.Provider {
	case "postgres", "redis":
		v, _, _ = strings.Cut(v, "@")
	case "slack-hook":
		v = v[strings.LastIndexByte(v, '/')+1:]
	case "discord-hook":
		_, v, _ = strings.Cut(v, "/")
	case "mailchimp":
		v = v[:32]
	case "jwt", "supabase-role":
		_, v, _ = strings.Cut(v, ".")
	case "telegram":
		v = v[strings.IndexByte(v, ':'):]
	}
	return v
}
