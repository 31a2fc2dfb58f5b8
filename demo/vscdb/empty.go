package vscdb

// EmptyArrays are members that nearly every bubble carries as [], whatever its
// kind: they are why a bubble of one sentence weighs two kilobytes.
var EmptyArrays = []string{
	"aiWebSearchResults", "approximateLintErrors", "assistantSuggestedDiffs", "attachedCodeChunks",
	"attachedFileCodeChunksMetadataOnly", "attachedFolders", "attachedFoldersListDirResults", "attachedFoldersNew",
	"capabilities", "capabilityContexts", "codebaseContextChunks", "commits", "consoleLogs", "contextPieces",
	"cursorCommands", "cursorRules", "deletedFiles", "diffHistories", "diffsForCompressingFiles",
	"diffsSinceLastApply", "docsReferences", "documentationSelections", "editTrailContexts", "externalLinks",
	"fileDiffTrajectories", "gitDiffs", "humanChanges", "images", "interpreterResults", "knowledgeItems", "lints",
	"mcpDescriptors", "multiFileLinterErrors", "notepads", "pastChats", "projectLayouts", "pullRequests",
	"recentLocationsHistory", "recentlyViewedFiles", "relevantFiles", "suggestedCodeBlocks", "summarizedComposers",
	"supportedTools", "todos", "toolResults", "uiElementPicked", "userResponsesToSuggestedCodeBlocks",
	"webReferences", "workspaceUris", "codeBlocks", "allThinkingBlocks",
}

// EmptyFlags are members that nearly every bubble carries as false.
var EmptyFlags = []string{
	"attachedHumanChanges", "cursorCommandsExplicitlySet", "existedPreviousTerminalCommand",
	"existedSubsequentTerminalCommand", "isRefunded", "pastChatsExplicitlySet",
}
