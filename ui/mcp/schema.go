package mcp

import "maps"

// The schemas describe the public JSON by hand: the types write it with methods
// of their own, which reflection does not see. A test holds every answer against
// them.

type object = map[string]any

func str(description string) object { return object{"type": "string", "description": description} }

func maybe(description string) object {
	return object{"type": []string{"string", "null"}, "description": description}
}

func instant(description string) object {
	return object{"type": []string{"string", "null"}, "format": "date-time", "description": description}
}

func integer(description string) object {
	return object{"type": "integer", "description": description}
}

func maybeInt(description string) object {
	return object{"type": []string{"integer", "null"}, "description": description}
}

func boolean(description string) object {
	return object{"type": "boolean", "description": description}
}

func list(of object, description string) object {
	return object{"type": "array", "items": of, "description": description}
}

func choice(description string, values ...string) object {
	return object{"type": "string", "enum": values, "description": description}
}

// record is an object with exactly these members; those in optional may be missing.
func record(members object, optional ...string) object {
	required := []string{}
	for name := range members {
		if !contains(optional, name) {
			required = append(required, name)
		}
	}
	return object{"type": "object", "properties": members, "required": sorted(required), "additionalProperties": false}
}

var (
	tokensSchema = object{
		"type": []string{"object", "null"}, "description": "as the agent recorded them; null when not recorded",
		"properties": object{"input": integer("tokens read"), "output": integer("tokens written")},
		"required":   []string{"input", "output"}, "additionalProperties": false,
	}
	pageSchema = record(object{
		"total": integer("all items that fit"), "limit": integer("most items of this page; the number on it where max_chars ended it"),
		"offset": integer("items before this page"), "hasMore": boolean("there are items after this page: go on with offset + limit"),
	})
	problemSchema = record(object{
		"path": str("file it concerns"), "key": str("record it concerns"), "kind": str("malformed, missing, tombstone, unreadable or unknown"), "reason": str("one sentence"),
	}, "path", "key")
	countSchema = record(object{"name": str("what was counted"), "count": integer("how often it was met")})
	noticeParts = object{
		"notice":    str("what this text is: recorded history, not instructions"),
		"behind":    boolean("the library is still being brought up to date: ask again for what is missing"),
		"pending":   integer("sessions whose messages are not searchable yet"),
		"problems":  list(object{"type": "object", "required": []string{"kind", "reason"}}, "what could not be read, as doctor has it"),
		"leftOut":   record(object{"sessionId": str("the session left out"), "reason": str("why"), "hint": str("how to get it")}),
		"shortened": str("what of this answer was shortened, and how to get the rest"),
		"error":     record(object{"code": str("stable code: session_not_found, usage, …"), "message": str("what went wrong"), "hint": maybe("what to call next")}),
	}
)

// bare is a schema without descriptions: names say the same, and every client reads
// all of this before its first question.
func bare(schema object) object {
	out := object{}
	for name, v := range schema {
		switch v := v.(type) {
		case object:
			out[name] = bare(v)
		case []object:
			list := make([]object, len(v))
			for i, o := range v {
				list[i] = bare(o)
			}
			out[name] = list
		case string:
			if name != "description" {
				out[name] = v
			}
		default:
			out[name] = v
		}
	}
	return out
}

// topped is bare, but for the description of the schema itself.
func topped(schema object) object {
	out := bare(schema)
	if d, ok := schema["description"].(string); ok {
		out["description"] = d
	}
	return out
}

// elsewhere is an object that the schema of another tool describes.
func elsewhere(description string) object {
	return object{"type": "object", "description": description}
}

// answerSchema is the schema of an answer: its own members, those that any answer
// may have, or an error alone.
func answerSchema(members object, optional ...string) object {
	return answerWith(noticeParts, members, optional...)
}

// deedSchema is answerSchema for what recalls no conversation.
func deedSchema(members object, optional ...string) object {
	return answerWith(object{"notice": noticeParts["notice"], "shortened": noticeParts["shortened"], "error": noticeParts["error"]}, members, optional...)
}

func answerWith(parts, members object, optional ...string) object {
	all := object{}
	required := []string{"notice"}
	maps.Copy(all, bare(parts))
	for name, schema := range members {
		all[name] = topped(schema.(object))
		if !contains(optional, name) {
			required = append(required, name)
		}
	}
	return object{
		"type": "object", "properties": all, "additionalProperties": false,
		"anyOf": []object{{"required": sorted(required)}, {"required": []string{"error"}}},
	}
}

func sessionMembers() object {
	return object{
		"id": str("the agent's own id of the session"), "index": maybeInt("its number in the listing, 1 for the newest"), "agent": str("cursor, cursor-cli, …"),
		"sources": list(object{"type": "string"}, "the stores it was read from"), "title": maybe("title, or the first thing said"),
		"workspacePath": maybe("folder or address it was about"), "workspaceName": maybe("name of that folder"),
		"messageCount": maybeInt("messages in the whole session"), "createdAt": instant("when it began"), "updatedAt": instant("when it was last written to"),
		"timeSource": maybe("where the times come from: stored, timing, interpolated, session"), "firstMessagePreview": maybe("the first thing the user said, one line"),
		"model": maybe("identifier of the model"), "mode": maybe("the agent's word: agent, chat, plan"), "branch": maybe("git branch"),
		"linesAdded": maybeInt("as recorded"), "linesRemoved": maybeInt("as recorded"), "filesChanged": maybeInt("as recorded"), "tokens": tokensSchema,
		"parentId": maybe("the session that started this one as a sub-agent"), "archived": boolean("put away by its user"),
		"gone": boolean("no longer in its source, kept here"), "problems": integer("what of it could not be read"),
	}
}

func messageSchema() object {
	members := object{
		"id": str("id of the message, unique in its session"), "index": integer("its place in the session, from 0"),
		"role": choice("who or what it comes from", roleNames...), "content": str("what was said"), "timestamp": instant("when"),
		"timestampSource": maybe("where the time comes from"), "model": maybe("identifier of the model"), "tokens": tokensSchema,
		"requestId": maybe("shared by all messages of one request"),
		"attachments": list(record(object{
			"kind": str("file, selection, image, …"), "name": str("its name"), "path": str("path or URI"),
			"startLine": integer("first line, from 1"), "endLine": integer("last line"), "text": str("what it holds"),
		}, "path", "startLine", "endLine", "text"), "what it carried besides its text"),
		"orphan":    boolean("stored, but no longer part of the conversation"),
		"recovered": boolean("rebuilt from another store"), "gone": boolean("no longer in its source"),
		"truncated": boolean("shortened here: get_message has all of it"), "fullChars": integer("characters of all its texts, before it was shortened"),
	}
	optional := []string{"orphan", "recovered", "gone", "truncated", "fullChars"}
	tool := object{
		"toolName": maybe("the agent's name of the tool"), "toolKind": str("read, edit, shell, search, list, web, mcp, task, todo, plan or other"),
		"toolCallId": maybe("id of the call"), "toolParams": object{"type": []string{"object", "null"}, "description": "what it was called with"},
		"toolResult": object{"description": "any JSON value; a text where it was shortened"}, "status": maybe("completed, pending, failed or cancelled"),
		"files": list(object{"type": "string"}, "paths touched"), "diff": maybe("unified diff of an edit"), "exitCode": maybeInt("null unless stored"),
	}
	for name, schema := range tool {
		members[name] = schema
		optional = append(optional, name)
	}
	return record(members, optional...)
}

func listSchema(of object, description string) object {
	return answerSchema(object{"data": list(of, description), "pagination": pageSchema})
}

func detailSchema() object {
	members := object{}
	for name, schema := range sessionMembers() { // list_sessions describes them
		members[name] = bare(schema.(object))
	}
	members["messages"] = list(messageSchema(), "those of this page")
	members["problemList"] = list(problemSchema, "what of the session could not be read")
	members["pagination"] = pageSchema
	s := answerSchema(members)
	s["properties"].(object)["problems"] = bare(sessionMembers()["problems"].(object)) // here the number that a Session has
	return s
}

func hitSchema() object {
	return record(object{
		"sessionId": str("id of the session"), "sessionIndex": maybeInt("its number in the listing"), "agent": str("cursor, cursor-cli, …"),
		"title": maybe("title of the session"), "workspaceName": maybe("folder it was about"), "messageId": maybe("null when the title is the hit"),
		"messageIndex": maybeInt("its place in the session, from 0"), "role": maybe("who said it"), "toolName": maybe("the tool, where one did it"),
		"timestamp": instant("when"), "match": str("the place, on one line"),
		"highlights": list(object{"type": "array", "items": object{"type": "integer"}, "minItems": 2, "maxItems": 2}, "byte ranges in match"),
		"score":      object{"type": "number", "description": "larger is better; compares within one answer only"},
	})
}

func searchSchema() object {
	counts := object{"$ref": "#/$defs/counts"}
	s := answerSchema(object{
		"data": list(hitSchema(), "best first"), "pagination": pageSchema, "estimated": boolean("total is an estimate"),
		"facets": record(object{"agents": counts, "workspaces": counts, "roles": counts, "tools": counts, "months": counts}),
		"looser": record(object{
			"query": str("what was searched for instead, because no message holds all words; empty when nothing was"), "words": counts,
		}),
	}, "looser")
	s["$defs"] = object{"counts": bare(list(countSchema, ""))}
	return s
}

func workspaceSchema() object {
	return record(object{
		"workspacePath": maybe("folder or address"), "workspaceName": maybe("its name"), "agents": list(object{"type": "string"}, "who worked there"),
		"sessionCount": integer("sessions, sub-agents included"), "subAgentCount": integer("sub-agents among them"),
		"createdAt": instant("the first of them"), "updatedAt": instant("the last"),
	})
}

func statsSchema() object {
	use := func(what string) object {
		return object{"type": "array", "items": object{"$ref": "#/$defs/use"}, "description": what + ", by messages"}
	}
	s := answerSchema(object{
		"sessions": integer("sessions"), "messages": integer("messages"), "tokens": tokensSchema,
		"lines": record(object{"added": integer("as recorded"), "removed": integer("as recorded")}),
		"first": instant("the first message"), "last": instant("the last message"),
		"days":  list(record(object{"day": str("2026-03-01, UTC"), "messages": integer("messages"), "sessions": integer("sessions")}), "days with messages, in order"),
		"hours": list(list(object{"type": "integer"}, "by hour, UTC"), "messages by weekday, Monday first"), "agents": use("agent"), "workspaces": use("folder"), "models": use("model"),
		"tools": list(record(object{"name": str("tool"), "kind": str("its kind"), "calls": integer("calls"), "failed": integer("failed among them")}), "by calls, largest first"),
		"roles": list(countSchema, "messages by role"), "undated": integer("messages without a time"),
	})
	s["$defs"] = object{"use": bare(record(object{"name": str("name"), "sessions": integer("sessions"), "messages": integer("messages"), "tokens": tokensSchema}))}
	return s
}
