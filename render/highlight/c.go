package highlight

// cFamily returns the tables of languages with braces, // and /* */.
func cFamily(language string) *grammar {
	switch language {
	case "go", "golang":
		return goGrammar()
	case "c", "h":
		return braces(cWords())
	case "cpp", "c++", "cc", "cxx", "hpp", "hh", "hxx", "cu", "ino":
		return cpp()
	case "objective-c", "objectivec", "objc", "m", "mm":
		g := cpp()
		g.marks = "@"
		return g
	case "java":
		return java()
	case "kotlin", "kt", "kts":
		return kotlin()
	case "scala", "sc":
		return scala()
	case "groovy", "gradle":
		g := java()
		g.spans = append([]span{{class: "s1", open: "'", close: "'", escapes: true}}, g.spans...)
		return g
	case "csharp", "c#", "cs":
		return csharp()
	case "rust", "rs":
		return rust()
	case "swift":
		return swift()
	case "zig":
		return zig()
	case "dart":
		return dart()
	case "solidity", "sol":
		return solidity()
	case "protobuf", "proto", "proto3":
		return proto()
	}
	return nil
}

// braces is a grammar with the comments and strings of C.
func braces(table map[string]string) *grammar {
	return &grammar{
		words: table,
		spans: []span{slashes, stars, {class: "cp", open: "#", close: "\n", first: true}, double, character},
		names: map[string]string{"struct": "nc", "union": "nc", "enum": "nc", "class": "nc", "interface": "nc", "record": "nc", "namespace": "nn", "package": "nn"},
	}
}

func goGrammar() *grammar {
	return &grammar{
		name: "nx",
		words: words("kn", "package import", "kd", "const var func type struct interface map chan",
			"k", "break case continue default defer else fallthrough for go goto if range return select switch",
			"kc", "true false nil iota",
			"kt", "bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr any comparable",
			"nb", "append cap clear close complex copy delete imag len make max min new panic print println real recover"),
		spans: []span{slashes, stars, double, {class: "s", open: "`", close: "`", lines: true}, character},
	}
}

func cWords() map[string]string {
	return words("k", "break case continue default do else for goto if return sizeof switch while alignas alignof asm",
		"kd", "auto const extern inline register restrict static struct typedef union enum volatile",
		"kt", "bool char double float int long short signed unsigned void size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t intptr_t ptrdiff_t FILE",
		"kc", "true false NULL nullptr")
}

func cpp() *grammar {
	table := cWords()
	for word, class := range words("k", "catch co_await co_return co_yield delete new throw try and not or operator typeid static_cast dynamic_cast const_cast reinterpret_cast",
		"kd", "class concept constexpr consteval decltype explicit export final friend mutable namespace noexcept override private protected public requires template typename using virtual",
		"kt", "wchar_t char8_t char16_t char32_t", "bp", "this self super", "kc", "YES NO nil") {
		table[word] = class
	}
	return braces(table)
}

func java() *grammar {
	g := braces(words("k", "assert break case catch continue default do else finally for if instanceof new return switch synchronized throw throws try while yield",
		"kd", "abstract class const enum extends final implements interface native non-sealed permits private protected public record sealed static strictfp transient var volatile def",
		"kn", "import package module requires exports", "kt", "boolean byte char double float int long short void String Object Integer Long Boolean",
		"kc", "true false null", "bp", "this super"))
	g.spans = []span{slashes, stars, {class: "s", open: `"""`, close: `"""`, escapes: true, lines: true}, double, character}
	g.marks = "@"
	return g
}

func kotlin() *grammar {
	g := java()
	g.words = words("k", "as break by catch continue do else finally for get if in is return set throw try when while where",
		"kd", "abstract actual annotation class companion const constructor crossinline data enum expect external final fun infix init inline inner interface internal lateinit noinline object open operator out override private protected public sealed suspend tailrec typealias val var vararg",
		"kn", "import package", "kt", "Any Boolean Byte Char Double Float Int Long Nothing Short String Unit List Map Set Array", "kc", "true false null", "bp", "this super it")
	g.names["fun"], g.names["object"] = "nf", "nc"
	return g
}

func scala() *grammar {
	g := java()
	g.words = words("k", "case catch do else finally for forSome if match return throw try while yield then end",
		"kd", "abstract class def enum export extends extension final given implicit lazy object override private protected sealed trait type using val var with",
		"kn", "import package", "kt", "Any AnyRef Boolean Byte Char Double Float Int Long Nothing Option Short String Unit List Map Seq", "kc", "true false null None Nil", "bp", "this super")
	g.spans[len(g.spans)-1].short = true
	g.prefix = " s f "
	g.names["def"], g.names["object"], g.names["trait"] = "nf", "nc", "nc"
	return g
}

func csharp() *grammar {
	g := braces(words("k", "as await base break case catch checked continue default do else finally fixed for foreach goto if in is lock new out ref return sizeof stackalloc switch throw try typeof unchecked unsafe using when while with yield nameof",
		"kd", "abstract async class const delegate enum event explicit extern file get implicit init interface internal namespace operator override params partial private protected public readonly record required sealed set static struct var virtual volatile where",
		"kt", "bool byte char decimal double dynamic float int long object sbyte short string uint ulong ushort void nint nuint", "kc", "true false null", "bp", "this value"))
	g.spans = append([]span{{class: "s", open: `"""`, close: `"""`, lines: true}, {class: "s", open: `@"`, close: `"`, lines: true}, {class: "s", open: `$"`, close: `"`, escapes: true}}, g.spans...)
	return g
}

func rust() *grammar {
	g := braces(words("k", "as async await break continue crate dyn else extern for if impl in loop match mod move mut pub ref return super unsafe use where while yield",
		"kd", "const enum fn let static struct trait type union", "bp", "self Self", "kc", "true false",
		"kt", "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize",
		"nc", "Box Err None Ok Option Rc Arc Result Some String Vec HashMap"))
	g.spans = []span{
		slashes, {class: "cm", open: "/*", close: "*/", lines: true, nests: true},
		{class: "cp", open: "#[", close: "]"}, {class: "cp", open: "#![", close: "]"},
		{class: "s", open: `r#"`, close: `"#`, lines: true}, {class: "s", open: `"`, close: `"`, escapes: true, lines: true},
		{class: "sc", open: "'", close: "'", escapes: true, short: true},
	}
	g.prefix = " b r "
	g.names = map[string]string{"fn": "nf", "struct": "nc", "enum": "nc", "trait": "nc", "mod": "nn", "type": "nc", "union": "nc"}
	return g
}

func swift() *grammar {
	g := braces(words("k", "as await break case catch continue default defer do else fallthrough for guard if in is repeat return switch throw throws try where while async",
		"kd", "actor associatedtype class convenience deinit didSet enum extension fileprivate final func get import indirect init inout internal lazy let mutating open operator override private protocol public required set some static struct subscript typealias var weak willSet",
		"kt", "Any Bool Character Double Float Int Int32 Int64 String UInt UInt8 Void Array Dictionary Set Optional", "kc", "true false nil", "bp", "self Self super"))
	g.spans = []span{slashes, {class: "cm", open: "/*", close: "*/", lines: true, nests: true}, {class: "s", open: `"""`, close: `"""`, escapes: true, lines: true}, double, {class: "cp", open: "#", close: "\n", first: true}}
	g.marks = "@"
	g.names["func"], g.names["protocol"], g.names["extension"], g.names["actor"] = "nf", "nc", "nc", "nc"
	return g
}

func zig() *grammar {
	g := braces(words("k", "and asm async await break catch continue defer else errdefer error for if inline or orelse resume return suspend switch try unreachable usingnamespace while",
		"kd", "align const comptime enum export extern fn noalias opaque packed pub struct test threadlocal union var volatile",
		"kt", "bool f16 f32 f64 i8 i16 i32 i64 isize u8 u16 u32 u64 usize void type anytype anyerror noreturn comptime_int", "kc", "true false null undefined"))
	g.spans = []span{slashes, double, {class: "s", open: `\\`, close: "\n"}, character}
	g.marks = "@"
	g.names = map[string]string{"fn": "nf"}
	return g
}

func dart() *grammar {
	g := java()
	g.words = words("k", "as assert async await break case catch continue default do else finally for if in is new on rethrow return switch sync throw try when while with yield",
		"kd", "abstract base class const covariant deferred enum extends extension external factory final get implements interface late mixin operator part required sealed set static typedef var",
		"kn", "import export library show hide", "kt", "bool double dynamic int num void String List Map Set Future Stream Object Function", "kc", "true false null", "bp", "this super")
	g.spans = []span{slashes, stars, {class: "s", open: `"""`, close: `"""`, escapes: true, lines: true}, {class: "s", open: "'''", close: "'''", escapes: true, lines: true}, double, single}
	g.prefix = " r "
	return g
}

func solidity() *grammar {
	g := braces(words("k", "assembly break catch continue delete do else emit for if is new return returns revert throw try unchecked using while",
		"kd", "abstract anonymous constant constructor contract enum event error external fallback function immutable import indexed interface internal library mapping memory modifier override payable pragma private public pure receive storage struct calldata view virtual",
		"kt", "address bool byte bytes bytes32 int int256 string uint uint8 uint256", "kc", "true false", "bp", "this super msg block tx"))
	g.names["function"], g.names["contract"], g.names["library"], g.names["event"], g.names["modifier"] = "nf", "nc", "nc", "nf", "nf"
	return g
}

func proto() *grammar {
	g := braces(words("kd", "enum extend extensions import message oneof option package public reserved returns rpc service stream syntax to weak",
		"k", "optional repeated required group map", "kt", "bool bytes double fixed32 fixed64 float int32 int64 sfixed32 sfixed64 sint32 sint64 string uint32 uint64", "kc", "true false max"))
	g.names = map[string]string{"message": "nc", "enum": "nc", "service": "nc", "rpc": "nf", "package": "nn"}
	return g
}
