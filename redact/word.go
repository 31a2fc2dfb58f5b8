package redact

import (
	"strings"
	"sync"
)

// A lexicon knows words.
type lexicon struct {
	classes       map[string]strength // what the last word of a name means
	keyed         map[string]bool     // words that make a key a secret one
	harmlessKeys  map[string]bool     // words that make a key none, even of an environment
	harmlessToken map[string]bool     // words that say that a token is none to keep
	trailing      map[string]bool     // words behind a name that do not change what it is
	usual         map[string]bool     // values that stand where a secret may and keep nothing
	prose         map[string]bool     // words said about secrets, in user interfaces and rules for what they must be
}

var words = sync.OnceValue(func() *lexicon {
	return &lexicon{
		classes: map[string]strength{
			"password": password, "passwd": password, "passphrase": password, "pwd": password, "passcode": password, "passwort": password,
			"secret": strong, "secrets": weak, "token": weak, "credential": strong, "credentials": strong,
			"apikey": strong, "accesskey": strong, "secretkey": strong, "privatekey": strong, "authtoken": strong, "accesstoken": strong,
			"authorization": authorizing, "auth": weak,
		},
		keyed: set(`api secret access private encryption encrypt signing sign master auth service account app application
			client license licence webhook storage shared session deploy role hmac admin integration subscription consumer
			server anon jwt crypto cipher aes rest sdk write ingest sas`),
		harmlessKeys: set(`public cache primary foreign sort partition registry site hot hash map object index unique row
			column query route react list item group short press any data context config lookup search node sibling parent
			child composite natural message event state ssh`),
		harmlessToken: set(`page next continuation sync cancel cancellation max stop eos bos pad unk sep cls mask start end
			begin first last input output prompt completion num total per each previous prev current lexer parse parser
			syntax design color css math word sub invalid unexpected expected this the a`),
		trailing: set(`prod production dev development test testing staging stage live old new value val v1 v2 v3 1 2 3
			base base64 b64 raw string str plain plaintext default env header data`),
		usual: set(`password passwd pass pwd secret secrets token key null nil none true false undefined string str text
			bytes number int object any required optional hidden empty missing unset invalid valid unknown default test
			testing admin root postgres mysql user username guest demo foobar foo bar baz value bearer basic auth
			authorization required! password123 mypassword mysecret mytoken secretkey passw0rd
			passwort kennwort contraseña contrasena senha wachtwoord hasło heslo jelszó lösenord adgangskode passord
			salasana parola şifre sandi clave motdepasse passe`),
		prose: set(`must at least characters character chars required require requires requirement minimum min max maximum
			length long invalid enter your please confirm confirmation confirmed forgot forgotten reset change changed wrong
			incorrect password passwords passcode passphrase pin passwort kennwort passe contraseña contrasena senha wachtwoord
			hasło parola clave nullable sometimes string regex alpha numeric email between should is are be not cannot can
			muss mindestens zeichen vergessen bitte ändern eingeben falsch erforderlich doit obligatoire requis oublié votre saisir
			debe caracteres obligatorio requerido introduce introduzca olvidé olvidaste deve caratteri obrigatório digite sua su
			new old current same different match matches choose create update show hide type again repeat`),
	}
})

func set(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}
