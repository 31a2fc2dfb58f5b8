package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostLine is how long one message of a client may be. None is near it.
const mostLine = 4 << 20

// stdio carries messages over a pair of streams, one a line. The SDK's own
// transport ends the session at the first line that is no message, and at the end
// of the input leaves unanswered what is under way; this one answers both.
type stdio struct {
	in  io.ReadCloser
	out io.Writer
}

// Connect starts to read.
func (t *stdio) Connect(context.Context) (sdk.Connection, error) {
	c := &stdioConn{in: t.in, out: t.out, lines: make(chan line), closed: make(chan struct{})}
	go c.read()
	return c, nil
}

// A line is what came, or why nothing more will.
type line struct {
	text []byte
	err  error
}

var errLong = errors.New("the message is too long")

type stdioConn struct {
	in     io.ReadCloser
	lines  chan line
	calls  underway // requests that wait for their answer
	once   sync.Once
	closed chan struct{}

	waiting sync.Map // their ids: one that is used twice at a time is answered once

	mu  sync.Mutex // guards out, so that messages do not mix
	out io.Writer
}

// SessionID is empty: a pair of streams is one session.
func (c *stdioConn) SessionID() string { return "" }

// read passes lines on until there are no more.
func (c *stdioConn) read() {
	r := bufio.NewReaderSize(c.in, 16<<10)
	for {
		l := readLine(r)
		select {
		case c.lines <- l:
		case <-c.closed:
			return
		}
		if l.err != nil && !errors.Is(l.err, errLong) {
			return
		}
	}
}

// readLine reads up to the end of a line. Of one that is too long it keeps
// nothing.
func readLine(r *bufio.Reader) line {
	var text []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		long = long || len(text)+len(part) > mostLine
		if long {
			text = nil
		} else {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long && (err == nil || errors.Is(err, io.EOF)):
			return line{err: errLong}
		case len(text) > 0 && errors.Is(err, io.EOF):
			err = nil // the last line needs no end; the next read says EOF again
		}
		return line{bytes.TrimSpace(text), err}
	}
}

// Read returns the next message. What is none is answered with an error, and
// reading goes on.
func (c *stdioConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		var l line
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case l = <-c.lines:
		}
		switch {
		case errors.Is(l.err, errLong):
			if err := c.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message has at most %d bytes", mostLine)); err != nil {
				return nil, err
			}
			continue
		case l.err != nil:
			return nil, c.finish(ctx, l.err)
		case len(l.text) == 0:
			continue
		}
		if id := oddID(l.text); id != nil {
			if err := c.refuseID(id, "an id is a string or a whole number"); err != nil {
				return nil, err
			}
			continue
		}
		m, err := jsonrpc.DecodeMessage(l.text)
		if err != nil {
			if err := c.malformed(l.text); err != nil {
				return nil, err
			}
			continue
		}
		if r, ok := m.(*jsonrpc.Request); ok && r.ID.IsValid() {
			if _, twice := c.waiting.LoadOrStore(r.ID, true); twice {
				if err := c.refuseID(r.ID.Raw(), "a request with this id is under way"); err != nil {
					return nil, err
				}
				continue
			}
			c.calls.enter()
		}
		return m, nil
	}
}

// oddID is the id of a request that has a number as no other program would write
// it back: the SDK would answer 1.5 as 1.
func oddID(text []byte) any {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal(text, &m) != nil || m.Method == "" || len(m.ID) == 0 || m.ID[0] != '-' && (m.ID[0] < '0' || m.ID[0] > '9') {
		return nil
	}
	const exact = 1 << 53 // whole numbers up to here are the same in every language
	if n, err := strconv.ParseFloat(string(m.ID), 64); err == nil && n == math.Trunc(n) && math.Abs(n) <= exact {
		return nil
	}
	return m.ID
}

// finish waits a while, at the end of the input, until what was asked is
// answered: a script that sends its questions and closes the pipe wants them.
func (c *stdioConn) finish(ctx context.Context, err error) error {
	limit := time.NewTimer(drainPatience)
	defer limit.Stop()
	select {
	case <-c.calls.done():
	case <-limit.C:
	case <-c.closed:
	case <-ctx.Done():
	}
	return err
}

// malformed answers a line that is no message.
func (c *stdioConn) malformed(text []byte) error {
	switch {
	case !json.Valid(text):
		return c.refuse(jsonrpc.CodeParseError, "not JSON")
	case text[0] == '[':
		return c.refuse(jsonrpc.CodeInvalidRequest, "batches are not part of the protocol any more")
	}
	return c.refuse(jsonrpc.CodeInvalidRequest, "not a message of JSON-RPC 2.0")
}

// refuse answers what has no id, or none that can be read.
func (c *stdioConn) refuse(code int, message string) error { return c.fault(nil, code, message) }

// refuseID answers a request whose id cannot be used.
func (c *stdioConn) refuseID(id any, message string) error {
	return c.fault(id, jsonrpc.CodeInvalidRequest, message)
}

func (c *stdioConn) fault(id any, code int, message string) error {
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message}})
	if err != nil {
		return err
	}
	return c.write(text)
}

// Write sends one message.
func (c *stdioConn) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	if r, ok := m.(*jsonrpc.Response); ok {
		if _, waited := c.waiting.LoadAndDelete(r.ID); waited {
			defer c.calls.leave()
		}
	}
	return c.write(text)
}

func (c *stdioConn) write(text []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.out.Write(append(text, '\n'))
	return err
}

// Close ends reading, also a Read that waits. It may be called more than once.
func (c *stdioConn) Close() (err error) {
	c.once.Do(func() {
		close(c.closed)
		err = c.in.Close()
	})
	return err
}
