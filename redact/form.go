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
	{name: "password", keys: []string{" -p", " -P ", " -k ", " -a "}, find: findShortPassword},
	{name: "password", keys: []string{"-pass pass:", "-passin pass:", "-passout pass:"}, find: findPassArgument},
	{name: "password", keys: []string{"IDENTIFIED BY '", `IDENTIFIED BY "`, "identified by '", `identified by "`}, find: findSQLPassword},
	{name: "secret", keys: []string{" --body", " -b "}, find: findSecretBody},
	{name: "password", keys: foreignNames, find: findForeign},
	{name: "aws-signature", keys: []string{"Signature="}, expr: `Signature=([0-9a-f]{64,})`, bits: 2.8},
	{name: "password-hash", keys: []string{"$2a$", "$2b$", "$2x$", "$2y$"}, expr: `\$2[abxy]\$\$?\d\d\$\$?([./A-Za-z0-9]{53})`, bits: 3.5, mix: true},
	{name: "password-hash", keys: []string{"$1$", "$5$", "$6$", "$apr1$"}, expr: `\$(?:1|5|6|apr1)\$\$?(?:rounds=\d+\$)?([./A-Za-z0-9]{1,16}\$\$?(?:[./A-Za-z0-9]{86}|[./A-Za-z0-9]{43}|[./A-Za-z0-9]{22}))`, bits: 3, mix: true},
	{name: "password-hash", keys: []string{"$y$j", "$argon2", "$scrypt$"}, expr: `\$(?:y\$j[./A-Za-z0-9]+|argon2(?:id?|d)\$v=\d+\$[a-z0-9=,]+|scrypt\$[a-z0-9=,]+)\$([./+A-Za-z0-9]{8,}\$[./+A-Za-z0-9]{40,})`, bits: 3.5, mix: true},
}
