package redact

// providers are the shapes of keys for models and for code: who writes code with
// an agent has these. A quantifier is open above, because providers lengthen
// their keys without saying so.
var providers = []rule{
	// Models. OpenAI's older keys hold T3BlbkFJ, "OpenAI" in base64.
	{name: "anthropic-key", keys: []string{"sk-ant-"}, expr: `sk-ant-(?:api\d\d|admin\d\d|oat\d\d|ort\d\d|sid\d\d|[a-z]{2,8}\d{0,2})-[\w-]{24,}`, bits: 3.5, mix: true},
	{name: "openrouter-key", keys: []string{"sk-or-"}, expr: `sk-or-(?:v\d-)?[0-9a-fA-F]{32,}`, bits: 2.8},
	{name: "openai-key", keys: []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-", "sess-"}, expr: `(?:sk-(?:proj|svcacct|admin|None)|sess)-[A-Za-z0-9_-]{20,}`, bits: 3.5, mix: true},
	{name: "langfuse-key", keys: []string{"sk-lf-"}, expr: `sk-lf-[0-9a-f]{8}-[0-9a-f-]{27}`, bits: 2.8},
	{name: "api-key", keys: []string{"sk-"}, expr: `sk-[\w-]{20,}`, bits: 3, mix: true, loose: true}, // OpenAI before 2024, DeepSeek, Moonshot, LiteLLM, …
	{name: "groq-key", keys: []string{"gsk_"}, expr: `gsk_[A-Za-z0-9]{32,}`, bits: 3.3, mix: true},
	{name: "xai-key", keys: []string{"xai-"}, expr: `xai-(?:token-)?[A-Za-z0-9]{40,}`, bits: 3.3, mix: true},
	{name: "perplexity-key", keys: []string{"pplx-"}, expr: `pplx-[A-Za-z0-9]{32,}`, bits: 3.3, mix: true},
	{name: "hugging-face-token", keys: []string{"hf_", "api_org_"}, expr: `(?:hf|api_org)_[A-Za-z0-9]{30,}`, bits: 3.3, mix: true},
	{name: "replicate-token", keys: []string{"r8_"}, expr: `r8_[\w-]{30,}`, bits: 3.3, mix: true},
	{name: "fireworks-key", keys: []string{"fw_"}, expr: `fw_[A-Za-z0-9]{20,}`, bits: 3.3, mix: true},
	{name: "cerebras-key", keys: []string{"csk-"}, expr: `csk-[a-z0-9]{40,}`, bits: 3.3, mix: true},
	{name: "nvidia-key", keys: []string{"nvapi-"}, expr: `nvapi-[\w-]{50,}`, bits: 3.5, mix: true},
	{name: "voyage-key", keys: []string{"pa-"}, expr: `pa-[\w-]{40,}`, bits: 4, mix: true, both: true},
	{name: "tavily-key", keys: []string{"tvly-"}, expr: `tvly-(?:dev-|prod-)?[\w-]{20,}`, bits: 3.3, mix: true},
	{name: "firecrawl-key", keys: []string{"fc-"}, expr: `fc-[0-9a-f]{32}`, bits: 2.8},
	{name: "elevenlabs-key", keys: []string{"sk_"}, expr: `sk_[0-9a-f]{48}`, bits: 2.8},
	{name: "cartesia-key", keys: []string{"sk_car_"}, expr: `sk_car_[\w-]{16,}`, bits: 3.3, mix: true},
	{name: "apify-token", keys: []string{"apify_api_"}, expr: `apify_api_[A-Za-z0-9]{30,}`, bits: 3.3, mix: true},
	{name: "langsmith-key", keys: []string{"lsv2_"}, expr: `lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{6,}`, bits: 2.8},
	{name: "cursor-key", keys: []string{"crsr_", "key_"}, expr: `(?:crsr_[0-9a-zA-Z]{32,}|key_[0-9a-f]{60,})`, bits: 2.8, mix: true},
	{name: "e2b-key", keys: []string{"e2b_"}, expr: `e2b_[0-9a-f]{30,}`, bits: 2.8},

	// Code hosts and registries.
	{name: "github-token", keys: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, expr: `gh[pousr]_[A-Za-z0-9]{36,}`, bits: 3.3},
	{name: "github-token", keys: []string{"github_pat_"}, expr: `github_pat_[A-Za-z0-9]{20,}_?[A-Za-z0-9]{30,}`, bits: 3.5},
	{name: "gitlab-token", keys: []string{"glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "glsoat-", "gloas-", "glffct-", "glwt-"}, expr: `gl[a-z]{2,5}-[\w.-]{20,}`, bits: 3.3, mix: true},
	{name: "gitlab-token", keys: []string{"GR1348941"}, expr: `GR1348941[\w-]{20,}`, bits: 3.3},
	{name: "atlassian-token", keys: []string{"ATATT3", "ATCTT3"}, expr: `AT[AC]TT3[\w=-]{60,}`, bits: 3.5},
	{name: "bitbucket-token", keys: []string{"ATBB", "BBDC-"}, expr: `(?:ATBB[A-Za-z0-9]{28,}|BBDC-[\w+/=-]{30,})`, bits: 3.3, mix: true},
	{name: "npm-token", keys: []string{"npm_"}, expr: `npm_[A-Za-z0-9]{36,}`, bits: 3.3, mix: true},
	{name: "pypi-token", keys: []string{"pypi-AgE"}, expr: `pypi-AgE[\w-]{50,}`, bits: 3.5},
	{name: "rubygems-key", keys: []string{"rubygems_"}, expr: `rubygems_[0-9a-f]{48}`, bits: 2.8},
	{name: "crates-io-token", keys: []string{"cio"}, expr: `cio[A-Za-z0-9]{32}`, bits: 3.5, mix: true},
	{name: "nuget-key", keys: []string{"oy2"}, expr: `oy2[a-z0-9]{43}`, bits: 3.3, mix: true},
	{name: "docker-token", keys: []string{"dckr_pat_", "dckr_oat_"}, expr: `dckr_[po]at_[\w-]{24,}`, bits: 3.3, mix: true},
	{name: "clojars-token", keys: []string{"CLOJARS_"}, expr: `CLOJARS_[a-z0-9]{60}`, bits: 3.3},
	{name: "artifactory-token", keys: []string{"AKCp"}, expr: `AKCp[A-Za-z0-9]{60,}`, bits: 3.5, mix: true},
	{name: "circleci-token", keys: []string{"CCIPAT_", "CCIPRJ_"}, expr: `CCIP(?:AT|RJ)_[A-Za-z0-9]{16,}_[0-9a-f]{40}`, bits: 3},
	{name: "buildkite-token", keys: []string{"bkua_"}, expr: `bkua_[0-9a-f]{40}`, bits: 2.8},
	{name: "linear-key", keys: []string{"lin_api_", "lin_oauth_"}, expr: `lin_(?:api|oauth)_[A-Za-z0-9]{32,}`, bits: 3.3, mix: true},
	{name: "notion-token", keys: []string{"ntn_", "secret_"}, expr: `(?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43})`, bits: 3.5, mix: true},
	{name: "figma-token", keys: []string{"figd_", "figo_", "figu_"}, expr: `fig[dou]_[\w-]{36,}`, bits: 3.5, mix: true},
	{name: "postman-key", keys: []string{"PMAK-"}, expr: `PMAK-[0-9a-f]{24}-[0-9a-f]{34}`, bits: 2.8},
	{name: "sourcegraph-token", keys: []string{"sgp_"}, expr: `sgp_(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}`, bits: 2.8},
}
