package bench

import "strconv"

// code appends about n bytes that look like a source file.
func (t *text) code(dst []byte, n int) []byte {
	for end := len(dst) + n; len(dst) < end; {
		switch t.rng.Uint32() % 8 {
		case 0:
			dst = append(dst, "func ("...)
			dst = append(append(dst, t.word()[0]), " *"...)
			dst = append(t.ident(dst), ") "...)
			dst = append(t.ident(dst), "(ctx context.Context, id string) error {\n"...)
		case 1:
			dst = append(t.ident(append(dst, "\tif err := "...)), '.')
			dst = append(t.ident(dst), "(ctx, id); err != nil {\n\t\treturn fmt.Errorf(\""...)
			dst = append(append(dst, t.word()...), " %s: %w\", id, err)\n\t}\n"...)
		case 2:
			dst = t.prose(append(dst, "\t// "...), 40)
			dst = append(dst, '\n')
		case 3:
			dst = append(t.ident(append(dst, "\tfor i, "...)), " := range "...)
			dst = append(t.ident(dst), " {\n"...)
		case 4:
			dst = append(t.ident(append(dst, "\t\t"...)), " = append("...)
			dst = append(t.ident(dst), "[:"...)
			dst = strconv.AppendInt(dst, int64(t.rng.IntN(4096)), 10)
			dst = append(dst, "])\n"...)
		case 5:
			dst = append(t.ident(append(dst, "\tconst "...)), " = \""...)
			dst = append(append(dst, t.word()...), "\"\n"...)
		case 6:
			dst = append(dst, "\t}\n}\n\n"...)
		default:
			dst = append(t.ident(append(dst, "\treturn "...)), '(')
			dst = append(t.ident(dst), ", nil)\n"...)
		}
	}
	return dst
}

// output appends about n bytes of what programs print to a terminal.
func (t *text) output(dst []byte, n int) []byte {
	for end := len(dst) + n; len(dst) < end; {
		switch t.rng.Uint32() % 6 {
		case 0:
			dst = append(append(append(dst, "ok  \texample.com/"...), t.word()...), '/')
			dst = append(append(dst, t.word()...), "\t0."...)
			dst = append(strconv.AppendInt(dst, int64(t.rng.IntN(900)+100), 10), "s\n"...)
		case 1:
			dst = append(t.ident(append(dst, "=== RUN   Test"...)), '\n')
			dst = append(t.ident(append(dst, "--- FAIL: Test"...)), " (0.02s)\n"...)
		case 2:
			dst = append(dst, "2026-03-"...)
			dst = strconv.AppendInt(dst, int64(t.rng.IntN(18)+10), 10)
			dst = append(dst, "T10:11:12.345Z level=info msg=\""...)
			dst = append(append(append(dst, t.word()...), ' '), t.word()...)
			dst = append(append(append(append(dst, "\" "...), t.word()...), '='), t.word()...)
			dst = append(dst, '\n')
		case 3:
			dst = append(t.path(append(dst, "    "...)), ':')
			dst = strconv.AppendInt(dst, int64(t.rng.IntN(900)+1), 10)
			dst = append(t.prose(append(dst, ": "...), 30), '\n')
		case 4:
			dst = append(dst, "\x1b[32m✓\x1b[39m "...)
			dst = append(t.prose(dst, 24), '\n')
		default:
			dst = append(t.prose(dst, 60), '\n')
		}
	}
	return dst
}

func (t *text) path(dst []byte) []byte {
	dst = append(append(append(dst, "internal/"...), t.word()...), '/')
	return append(append(dst, t.word()...), ".go"...)
}
