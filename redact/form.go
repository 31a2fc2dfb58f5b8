package redact

// forms are secrets known by what stands around them, whoever issued them.
var forms = []rule{
	{name: "jwt", keys: []string{"eyJ"}, expr: `eyJ[\w-]{8,}\.(?:eyJ[\w-]{8,}|[\w-]{0,700}\.[\w-]{8,}\.[\w-]{16,})\.[\w-]{10,}`, bits: 3.5, mix: true},
	{name: "private-key", keys: []string{"-----BEGIN"}, find: findPEM},
	{name: "private-key", keys: []string{"Private-Lines:"}, find: findPutty},
	{name: "password", keys: []string{"://", `:\/\/`, `:\\/\\/`}, find: findUserinfo},
	{name: "password", keys: []string{"%3A%2F%2F"}, fold: true, find: findUserinfo},
	{name: "bearer-token", keys: []string{"bearer "}, fold: true, find: findBearer},
	{name: "password", keys: []string{"basic "}, fold: true, find: findBasic},
	{name: "cookie", keys: []string{"cookie"}, fold: true, find: findCookie},
	{name: "password", keys: []string{"-u ", "--user ", "--user=", "--proxy-user "}, find: findCurlUser},
	{name: "password", keys: []string{" -p"}, find: findShortPassword},
}
