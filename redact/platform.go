package redact

// platforms are the shapes of keys for clouds, data, money and messages.
var platforms = []rule{
	// Clouds.
	{name: "aws-access-key", keys: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, expr: `A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}`, bits: 2.5},
	{name: "aws-bedrock-key", keys: []string{"ABSK", "bedrock-api-key-"}, expr: `(?:ABSK[A-Za-z0-9+/]{80,}=*|bedrock-api-key-[A-Za-z0-9+/=]{40,})`, bits: 3.5},
	{name: "google-key", keys: []string{"AIza"}, expr: `AIza[\w-]{35}`, bits: 3.3, mix: true},
	{name: "google-oauth-token", keys: []string{"ya29."}, expr: `ya29\.[\w.-]{30,}`, bits: 3.5},
	{name: "google-oauth-token", keys: []string{"1//0"}, expr: `1//0[\w-]{40,}`, bits: 3.5, mix: true},
	{name: "google-client-secret", keys: []string{"GOCSPX-"}, expr: `GOCSPX-[\w-]{24,}`, bits: 3.3},
	{name: "firebase-key", keys: []string{":APA91b"}, back: span{word, 16}, expr: `[\w-]{6,}:APA91b[\w-]{100,}`, bits: 4},
	{name: "azure-client-secret", keys: []string{"0Q~", "1Q~", "2Q~", "3Q~", "4Q~", "5Q~", "6Q~", "7Q~", "8Q~", "9Q~"}, back: span{func(c byte) bool { return word(c) || c == '.' || c == '~' }, 3}, expr: `[\w.~-]{3}\dQ~[\w.~-]{31,}`, bits: 3.8},
	{name: "azure-storage-key", keys: []string{"AccountKey=", "SharedAccessKey="}, fold: true, expr: `\w+=([A-Za-z0-9+/]{40,}={0,2})`, bits: 3.8},
	{name: "azure-devops-token", keys: []string{"AZDO"}, back: span{alnum, 76}, expr: `[A-Za-z0-9]{70,76}AZDO[A-Za-z0-9]{4}`, bits: 3.8},
	{name: "azure-key", keys: []string{"JQQJ99", "AAAAAC", "+ASt", "+ABa", "AzSe", "AzCa", "ACDb", "AIoT"}, back: span{func(c byte) bool { return alnum(c) || c == '+' || c == '/' }, 76}, expr: `(?:[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}|[A-Za-z0-9+/]{40,76}(?:\+ASt|\+ABa|AzSe|AzCa|ACDb|AIoT)[A-Za-z0-9+/]{4,8}={0,2})`, bits: 3.8},
	{name: "azure-sas", keys: []string{"sig="}, expr: `sig=([A-Za-z0-9+/]{43}=)`, bits: 3.8},
	{name: "digitalocean-token", keys: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, expr: `do[por]_v1_[0-9a-f]{64}`, bits: 3},
	{name: "heroku-key", keys: []string{"HRKU-"}, expr: `HRKU-[\w-]{36,}`, bits: 3},
	{name: "fly-token", keys: []string{"fm1a_", "fm1r_", "fm2_", "fo1_"}, expr: `(?:fm1[ar]|fm2|fo1)_[\w+/=-]{40,}(?:,fm\w+_[\w+/=-]{40,})*`, bits: 3.5},
	{name: "cloudflare-key", keys: []string{"v1.0-", "cfut_", "cfat_", "cfk_"}, expr: `(?:v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}|cf(?:ut|at|k)_[\w-]{40,})`, bits: 3},
	{name: "vercel-token", keys: []string{"vcp_", "vci_", "vca_", "vcr_", "vck_", "vercel_blob_rw_"}, expr: `(?:vc[piark]_[A-Za-z0-9]{24,}|vercel_blob_rw_[A-Za-z0-9]+_[A-Za-z0-9]{24,})`, bits: 3.3, mix: true},
	{name: "netlify-token", keys: []string{"nfp_", "nfc_", "nfo_", "nfu_", "nfb_"}, expr: `nf[pcoub]_[A-Za-z0-9]{36,}`, bits: 3.3, mix: true},
	{name: "alibaba-key", keys: []string{"LTAI"}, expr: `LTAI[A-Za-z0-9]{12,26}`, bits: 3.2, mix: true},
	{name: "tencent-key", keys: []string{"AKID"}, expr: `AKID[A-Za-z0-9]{32}`, bits: 3.5, mix: true},
	{name: "ibm-cloud-key", keys: []string{"ApiKey-"}, expr: `ApiKey-[0-9a-f]{8}-[0-9a-f-]{27}`, bits: 2.8},
	{name: "vault-token", keys: []string{"hvs.", "hvb.", "hvr."}, expr: `hv[sbr]\.[\w-]{24,}`, bits: 3.3, mix: true},
	{name: "terraform-token", keys: []string{".atlasv1."}, back: span{alnum, 20}, expr: `[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}`, bits: 3.5},
	{name: "pulumi-token", keys: []string{"pul-"}, expr: `pul-[0-9a-f]{40}`, bits: 2.8},
	{name: "doppler-token", keys: []string{"dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."}, expr: `dp\.(?:pt|ct|sa|scim|audit|st(?:\.[\w-]{2,35})?)\.[A-Za-z0-9]{40,}`, bits: 3.3},
	{name: "infisical-token", keys: []string{"st.6"}, expr: `st\.[0-9a-f]{24}\.[0-9a-f]{32}\.[0-9a-f]{32}`, bits: 3},
	{name: "1password-token", keys: []string{"ops_eyJ", "A3-"}, expr: `(?:ops_eyJ[\w=/+-]{80,}|A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5})`, bits: 3},
	{name: "age-secret-key", keys: []string{"AGE-SECRET-KEY-1", "AGE-SECRET-KEY-PQ-1"}, fold: true, expr: `(?i)AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{50,}`, bits: 3.3},
	{name: "tailscale-key", keys: []string{"tskey-"}, expr: `tskey-[a-z]+-[A-Za-z0-9]+(?:CNTRL)?-[A-Za-z0-9]{16,}`, bits: 3},

	// Data.
	{name: "supabase-key", keys: []string{"sbp_", "sb_secret_"}, expr: `(?:sbp_(?:v0_)?[0-9a-f]{40}|sb_secret_[\w-]{20,})`, bits: 2.8},
	{name: "planetscale-token", keys: []string{"pscale_"}, expr: `pscale_(?:pw|tkn|oauth)_[\w.=-]{32,}`, bits: 3.3},
	{name: "neon-key", keys: []string{"napi_", "npg_"}, expr: `(?:napi_[a-z0-9]{40,}|npg_[A-Za-z0-9]{12,})`, bits: 2.8, mix: true},
	{name: "databricks-token", keys: []string{"dapi", "dose", "dkea"}, expr: `(?:dapi|dose|dkea)[0-9a-f]{32}(?:-\d)?`, bits: 2.8},
	{name: "pinecone-key", keys: []string{"pcsk_"}, expr: `pcsk_[A-Za-z0-9]{4,}_[A-Za-z0-9]{50,}`, bits: 3.5},
	{name: "confluent-key", keys: []string{"cflt"}, expr: `cflt[A-Za-z0-9+/]{56,}`, bits: 3.5, mix: true},
	{name: "airtable-token", keys: []string{"pat"}, expr: `pat[A-Za-z0-9]{14}\.[0-9a-f]{64}`, bits: 3},
	{name: "new-relic-key", keys: []string{"NRAK-", "NRJS-", "NRII-", "NRRA-", "NRSP-"}, expr: `NR(?:AK|JS|II|RA|SP)-[\w-]{19,}`, bits: 2.8},
	{name: "new-relic-key", keys: []string{"NRAL"}, back: span{hexadecimal, 36}, expr: `[0-9a-f]{36}NRAL`, bits: 2.8},
	{name: "sentry-token", keys: []string{"sntrys_", "sntryu_", "sntrya_", "sntryi_"}, expr: `sntry[suai]_[\w+/=-]{40,}`, bits: 3},
	{name: "grafana-token", keys: []string{"glsa_", "glc_"}, expr: `(?:glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|glc_[A-Za-z0-9+/]{32,}={0,2})`, bits: 3.3},
	{name: "datadog-key", keys: []string{"ddp_", "pub_dd"}, expr: `ddp_[A-Za-z0-9]{30,}`, bits: 3.3, mix: true},
	{name: "dynatrace-token", keys: []string{"dt0"}, expr: `dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}`, bits: 3.5},
	{name: "posthog-key", keys: []string{"phx_"}, expr: `phx_[A-Za-z0-9]{40,}`, bits: 3.5, mix: true},

	// Money.
	{name: "stripe-key", keys: []string{"sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_org_"}, expr: `[sr]k_(?:live|test|org)_(?:live_|test_)?[A-Za-z0-9]{16,}`, bits: 3, mix: true},
	{name: "stripe-webhook-secret", keys: []string{"whsec_"}, expr: `whsec_[A-Za-z0-9+/]{24,}=*`, bits: 3.3, mix: true},
	{name: "square-token", keys: []string{"EAAA", "sq0atp-", "sq0csp-"}, expr: `(?:EAAA[\w-]{56,}|sq0(?:atp|csp)-[\w-]{22,})`, bits: 3.5, mix: true},
	{name: "paypal-token", keys: []string{"access_token$"}, expr: `access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}`, bits: 3},
	{name: "plaid-token", keys: []string{"access-sandbox-", "access-development-", "access-production-"}, expr: `access-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f-]{27}`, bits: 2.8},
	{name: "shopify-token", keys: []string{"shpat_", "shpca_", "shppa_", "shpss_", "shpua_"}, expr: `shp(?:at|ca|pa|ss|ua)_[0-9a-fA-F]{32,}`, bits: 2.8},
	{name: "flutterwave-key", keys: []string{"FLWSECK"}, expr: `FLWSECK(?:_TEST)?-[0-9a-zA-Z]{12,}-X`, bits: 2.5},
	{name: "coinbase-key", keys: []string{"organizations/"}, expr: `organizations/[0-9a-f-]{36}/apiKeys/[0-9a-f-]{36}`, bits: 3},

	// Messages.
	{name: "slack-token", keys: []string{"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxc-", "xoxd-", "xoxe-", "xoxe."}, expr: `xox[a-z][-.](?:xox[a-z]-)?[\w%+/=-]{20,}`, bits: 2.8},
	{name: "slack-token", keys: []string{"xapp-", "xwfp-"}, expr: `x(?:app|wfp)-[\w-]{30,}`, bits: 2.8},
	{name: "slack-webhook", keys: []string{"hooks.slack.com"}, expr: `hooks\.slack\.com/(?:services|workflows|triggers)/([\w/+-]{30,})`, bits: 2.8},
	{name: "discord-webhook", keys: []string{"webhooks"}, expr: `webhooks/\d{15,}/([\w-]{50,})`, bits: 3.5},
	{name: "discord-token", keys: dotted("GXY"), back: span{word, 30}, expr: `[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{25,}`, bits: 3.8, mix: true},
	{name: "telegram-bot-token", keys: []string{":AA"}, back: span{digit, 12}, expr: `\d{8,12}:AA[\w-]{32,}`, bits: 3.5},
	{name: "teams-webhook", keys: []string{".webhook.office.com/"}, expr: `\.webhook\.office\.com/\w+/([\w@-]{36,}/IncomingWebhook/[\w/-]{60,})`, bits: 3},
	{name: "twilio-key", keys: hexAfter("SK"), expr: `SK[0-9a-f]{32}`, bits: 2.8},
	{name: "sendgrid-key", keys: []string{"SG."}, expr: `SG\.[\w-]{16,32}\.[\w-]{30,}`, bits: 3.5, mix: true},
	{name: "mailgun-key", keys: []string{"key-"}, expr: `key-[0-9a-f]{32}`, bits: 2.8},
	{name: "mailchimp-key", keys: []string{"-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"}, back: backHex, expr: `[0-9a-f]{32}-us\d{1,2}`, bits: 2.8},
	{name: "brevo-key", keys: []string{"xkeysib-", "xsmtpsib-"}, expr: `x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}`, bits: 3},
	{name: "resend-key", keys: []string{"re_"}, expr: `re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}`, bits: 3.3, mix: true},
	{name: "mapbox-token", keys: []string{"sk.eyJ"}, expr: `sk\.eyJ[\w-]{40,}\.[\w-]{16,}`, bits: 3.5},
}

// dotted are the keys of a token whose second part begins with one of letters.
func dotted(letters string) []string {
	var keys []string
	for _, a := range letters {
		for _, b := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_" {
			keys = append(keys, "."+string(a)+string(b))
		}
	}
	return keys
}

// hexAfter are the keys of a token that goes on in hexadecimal.
func hexAfter(prefix string) []string {
	var keys []string
	for _, d := range "0123456789abcdef" {
		keys = append(keys, prefix+string(d))
	}
	return keys
}
