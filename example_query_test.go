package retold_test

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/retold-history/retold"
)

func ExampleParseQuery() {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	q, err := retold.ParseQuery(`"race condition" role:assistant since:7d`, now)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(q.Filter.Roles, q.Filter.Since.Format(time.DateTime), retold.Terms(q.Match)[0].Text)

	_, err = retold.ParseQuery(`role:wizard`, now)
	if mistake, ok := errors.AsType[*retold.QueryError](err); ok {
		fmt.Println(retold.CodeOf(err), "at byte", mistake.Offset)
	}
	// Output:
	// [assistant] 2026-11-13 12:00:00 race condition
	// usage at byte 5
}

func ExampleParseWhen() {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, s := range []string{"yesterday", "2026-03", "3h"} {
		span, err := retold.ParseWhen(s, now)
		fmt.Println(span.From.Format(time.DateTime), span.To.Format(time.DateTime), err)
	}
	// Output:
	// 2026-11-19 00:00:00 2026-11-20 00:00:00 <nil>
	// 2026-03-01 00:00:00 2026-04-01 00:00:00 <nil>
	// 2026-11-20 09:00:00 2026-11-20 09:00:00 <nil>
}

func ExampleModelName() {
	fmt.Println(retold.ModelName("claude-4.5-opus-high-thinking"))
	// Output: Claude Opus 4.5 (Thinking)
}

// What went wrong is asked of an error by its code, whatever is wrapped around it.
func ExampleError() {
	var err error = &retold.Error{
		Code: retold.CodeDatabaseNotFound, Op: "open", Path: "/home/ada/Cursor",
		Hint: "name another folder", Err: fs.ErrNotExist,
	}
	err = fmt.Errorf("look for history: %w", err)
	fmt.Println(errors.Is(err, retold.ErrDatabaseNotFound), errors.Is(err, fs.ErrNotExist), retold.CodeOf(err))
	if e, ok := errors.AsType[*retold.Error](err); ok {
		fmt.Printf("%v\nhint: %s\n", err, e.Hint)
	}
	// Output:
	// true true database_not_found
	// look for history: open /home/ada/Cursor: file does not exist
	// hint: name another folder
}
