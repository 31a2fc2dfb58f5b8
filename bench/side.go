package bench

import "strconv"

// context writes what goes with a question: what was sent along, and the state
// of the files before the answer.
func (w *writer) context(s *session, bubble string) error {
	if s.lean {
		return nil
	}
	layout := w.text.code(nil, w.text.around(11000))
	b := append(quote([]byte(`{"terminalFiles":[],"cursorRules":[],"attachedFoldersListDirResults":[],"summarizedComposers":[],"projectLayouts":[`), layout), `],"gitStatusRaw":`...)
	b = append(quote(b, w.text.output(nil, 600)), `,"knowledgeItems":[],"todos":[],"bubbleId":"`...)
	b = append(append(b, bubble...), `","contextId":"`...)
	b = append(append(b, w.uuid()...), `"}`...)
	if err := w.put("messageRequestContext:"+s.id+":"+bubble, b); err != nil {
		return err
	}
	return w.checkpoint(s)
}

func (w *writer) checkpoint(s *session) error {
	b := []byte(`{"files":[`)
	for i := range 1 + w.rng.IntN(6) {
		if i > 0 {
			b = append(b, ',')
		}
		b = quote(append(b, `{"uri":{"$mid":1,"scheme":"file","path":`...), w.text.path([]byte(workspaces[s.workspace].path+"/")))
		b = append(b, `},"originalModelDiffWrtV0":[{"original":{"startLineNumber":12,"endLineNumberExclusive":40},"modified":[`...)
		for j := range 20 + w.rng.IntN(120) {
			if j > 0 {
				b = append(b, ',')
			}
			b = quote(b, w.text.prose(nil, 36))
		}
		b = append(b, `]}],"isNewlyCreated":false}`...)
	}
	b = append(b, `],"nonExistentFiles":[],"newlyCreatedFolders":[],"activeInlineDiffs":[],"inlineDiffNewlyCreatedResources":{"files":[],"folders":[]}}`...)
	return w.put("checkpointId:"+s.id+":"+w.uuid(), b)
}

// diffRow writes the hunks of an edit relative to the file's first version.
func (w *writer) diffRow(s *session) error {
	b := []byte(`{"newModelDiffWrtV0":[{"original":{"startLineNumber":12,"endLineNumberExclusive":19},"modified":[`)
	for j := range 4 + w.rng.IntN(24) {
		if j > 0 {
			b = append(b, ',')
		}
		b = quote(b, w.text.prose(nil, 40))
	}
	return w.put("codeBlockDiff:"+s.id+":"+w.uuid(), append(b, `]}],"originalModelDiffWrtV0":[]}`...))
}

// fill writes one row of agent state that holds a file's text, and returns the
// size of the database after it.
func (w *writer) fill(s *session) (int64, error) {
	w.raw = w.text.code(w.raw[:0], w.text.around(9000))
	if !s.agentic() {
		if err := w.checkpoint(s); err != nil {
			return 0, err
		}
		return w.db.Bytes()
	}
	if _, err := w.state(w.raw); err != nil {
		return 0, err
	}
	return w.db.Bytes()
}

func appendMillis(b []byte, name string, ms int64) []byte {
	b = append(append(append(b, `,"`...), name...), `":`...)
	return strconv.AppendInt(b, ms, 10)
}
