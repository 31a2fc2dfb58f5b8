package cursor

import "strings"

// families are the kinds of cursorDiskKV records by the start of their keys
// (formats C.1). What is in none of them is drift: a build newer than this.
var families = []struct{ prefix, name string }{
	{"composerData:", "composerData"},
	{"bubbleId:", "bubbleId"},
	{"messageRequestContext:", "messageRequestContext"},
	{"checkpointId:", "checkpointId"},
	{"codeBlockDiff:", "codeBlockDiff"},
	{"codeBlockPartialInlineDiffFates:", "codeBlockPartialInlineDiffFates"},
	{"composer.content.", "composer.content"},
	{"composer.autoAccept.", "composer.autoAccept"},
	{"ofsContent:", "ofsContent"},
	{"inlineDiff:", "inlineDiff"},
	{"inlineDiffs-", "inlineDiffs"},
	{"inlineDiffUndoRedo:", "inlineDiffUndoRedo"},
	{"agentKv:blob:", "agentKv:blob"},
	{"agentKv:checkpoint:", "agentKv:checkpoint"},
	{"agentKv:bubbleCheckpoint:", "agentKv:bubbleCheckpoint"},
	{"agentKv:artifact:", "agentKv:artifact"},
	{"composerVirtualRowHeights:", "composerVirtualRowHeights"},
	{"bcCachedDetails:", "bcCachedDetails"},
	{"ai_hashes.", "ai_hashes"},
	{"ai_accepted_diffs.", "ai_accepted_diffs"},
}

// familyOf names the kind of a cursorDiskKV record and tells whether this
// version knows it.
func familyOf(key string) (name string, known bool) {
	for _, f := range families {
		if strings.HasPrefix(key, f.prefix) {
			return f.name, true
		}
	}
	if strings.HasPrefix(key, "bc-") && strings.HasSuffix(key, ":cloudAgent:metadata") {
		return "cloudAgent:metadata", true
	}
	if i := strings.IndexByte(key, ':'); i > 0 {
		if j := strings.IndexByte(key[i+1:], ':'); j > 0 && strings.HasPrefix(key, "agentKv:") {
			return key[:i+1+j], false
		}
		return key[:i], false
	}
	return strings.TrimRight(key, "0123456789abcdefABCDEF-."), false
}

// itemFamily groups the keys of ItemTable, most of which are settings of the
// editor.
func itemFamily(key string) string {
	switch {
	case strings.HasPrefix(key, "cursorAuth/"):
		return "cursorAuth (never read)"
	case key == keyChatData:
		return "chat tabs"
	case key == keyPrompts || key == keyGenerations:
		return "prompts and generations"
	case key == keyComposers || key == keyHeaders || key == keyProjects || key == keyMembership,
		strings.HasPrefix(key, panePrefix), strings.HasPrefix(key, panelPrefix):
		return "conversation lists"
	}
	return "other settings"
}

// knownVersions are the values of "_v" met so far (formats C.2, C.4).
var knownVersions = map[string]map[string]bool{
	"composerData": {"": true, "1": true, "2": true, "3": true, "9": true, "10": true, "11": true, "13": true, "14": true, "15": true, "16": true, "17": true, "18": true},
	"bubbleId":     {"": true, "1": true, "2": true, "3": true},
}
