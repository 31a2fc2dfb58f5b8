package cursor
import "fmt"
var DebugLog []string
func dbg(f string, a ...any) { DebugLog = append(DebugLog, fmt.Sprintf(f, a...)) }
