package demo

import (
	"maps"
	"path/filepath"
	"slices"
)

// lists writes the global lists of chats and what else lies beside them.
func (m *maker) lists() {
	m.item("composer.composerHeaders", obj{"allComposers": m.listed})
	m.item("composer.composerHeaders.tableGateEnabled", true)
	projects, membership := []obj{}, obj{}
	for _, w := range workspaces {
		if w.uri == "" || w.config {
			continue
		}
		id := uuid("glass", w.key)
		projects = append(projects, obj{"id": id, "name": w.key, "workspace": w.identifier(), "createdAt": 1780000000000, "lastUpdatedAt": 1790000000000, "isArchived": false})
		for _, s := range m.stories {
			if s.workspace == w && (s.shape == "table" || s.shape == "agentkv") {
				membership[s.id()] = id
			}
		}
	}
	m.item("glass.localAgentProjects.v1", projects)
	m.item("glass.localAgentProjectMembership.v1", membership)
	folders := []obj{}
	for _, w := range workspaces {
		if w.uri != "" && !w.config {
			folders = append(folders, obj{"folderUri": w.uri})
		}
	}
	m.file(filepath.Join(m.home.CursorUser, "globalStorage", "storage.json"), encode(obj{
		"backupWorkspaces": obj{"folders": folders, "emptyWindows": []any{}, "workspaces": []any{}},
	}))
	m.file(filepath.Join(m.home.CursorHome, "prompt_history.json"), encode([]string{"why is TestHarmonics flaky on arm64?", "/compact"}))
}

// leftovers writes what real databases are full of besides conversations:
// checkpoints, request contexts, a family nobody knows.
func (m *maker) leftovers() {
	for _, s := range m.stories {
		if s.shape != "table" && s.shape != "headers" {
			continue
		}
		for _, st := range s.steps {
			if st.verb != "user" {
				continue
			}
			m.kv("messageRequestContext:"+s.id()+":"+st.id, encode(obj{
				"bubbleId": st.id, "contextId": uuid(st.id, "context"), "terminalFiles": []any{}, "cursorRules": []any{}, "todos": []any{},
				"projectLayouts": []string{text(obj{"absPath": s.workspace.path})}, "gitStatusRaw": "On branch " + s.branch + "\nnothing to commit, working tree clean",
			}))
			m.kv("checkpointId:"+s.id()+":"+uuid(st.id, "checkpoint"), encode(obj{
				"files": []any{}, "nonExistentFiles": []any{}, "newlyCreatedFolders": []any{}, "activeInlineDiffs": []any{},
				"inlineDiffNewlyCreatedResources": obj{"files": []any{}, "folders": []any{}},
			}))
		}
	}
	m.kv("composer.autoAccept.lastSeenHeadSha", []byte("5f3ad0c2b4e1"))
	m.kv("composerVirtualRowHeights:_recentIds", []byte("[]"))
	m.kv("tideChart:2026-11", []byte(`{"note":"a family of keys that no version of retold has seen"}`))
}

func sortedKeys(o obj) []string { return slices.Sorted(maps.Keys(o)) }
