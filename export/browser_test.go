package export_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retold-history/retold/export"
)

// TestBrowser opens a hostile export in a real browser whose every request goes
// through a proxy of ours: none may be made, and no script of a chat may run.
func TestBrowser(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium on this machine")
	}
	var requests atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.String()+r.Host, "invalid") {
			requests.Add(1)
		}
	}))
	defer proxy.Close()
	dir := t.TempDir()
	open := func(name, page string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
		defer cancel()
		_, port, err := net.SplitHostPort(proxy.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
			"--user-data-dir="+filepath.Join(dir, "profile"), "--proxy-server=http://127.0.0.1:"+port, "--dump-dom", "file://"+path).Output()
		if err != nil {
			t.Fatalf("chromium: %v", err)
		}
		return string(out)
	}
	page := one(t, export.HTML, export.Options{Tools: export.ToolsFull}, hostileSession())
	dom := open("page.html", page)
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests were made", n)
	}
	for _, bad := range []string{"<script", "<img", "<iframe", "<svg", "onerror=alert(1)>\n", "<meta http-equiv=\"refresh", "href=\"javascript", "href=\"data:"} {
		if strings.Contains(strings.ToLower(dom), bad) {
			t.Errorf("the page the browser built holds %s", bad)
		}
	}
	if strings.Count(dom, "<style>") != 1 || strings.Count(dom, "<article") != 1 || !strings.HasSuffix(strings.TrimSpace(dom), "</main>\n\n\n</body></html>") && !strings.Contains(dom, "</article>\n</main>") {
		t.Errorf("the chat changed the structure of the page: …%s", dom[max(0, len(dom)-200):])
	}
	// The same watch must see a page that does ask, or it proves nothing.
	open("beacon.html", `<!DOCTYPE html><img src="http://beacon.invalid/b.png">`)
	if requests.Load() == 0 {
		t.Error("the proxy sees no request of a page that makes one")
	}
}
