package mcp_test
import ("testing";"github.com/retold-history/retold/ui/mcp";"encoding/json")
func TestZZ(t *testing.T){ for _,ro:=range []bool{false,true}{ m:=workedRepo(t,mcp.Options{ReadOnly:ro})
if !ro { for _,c:=range [][2]string{{"why",`{"file":"tide.go","line":4}`},{"why",`{"file":"tide.go"}`},{"why",`{"commit":"HEAD"}`},{"commit_context",`{}`},{"journal_entry",`{}`},{"add_reflection",`{"text":"yes"}`}}{ r:=m.c.call(c[0],c[1]); t.Log(c, "\n"+r.text); if c[0]!="journal_entry"{t.Log(string(r.body))} }}
l,_:=m.c.ListTools(t.Context(),nil); all,_:=json.Marshal(l.Tools); n:=0; for _,x:=range l.Tools{ in,_:=json.Marshal(x.InputSchema); n+=len(in)+len(x.Name)+len(x.Description); o,_:=json.Marshal(x.OutputSchema); t.Log(x.Name,len(x.Description),len(in),len(o)) }; t.Log(len(all),n)
}}
