package journal

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// zoneName is the name of a place's clock that does not change with the season,
// where it is known, else its abbreviation at some time.
func zoneName(zone *time.Location, at time.Time) string {
	name := zone.String()
	if name == "Local" {
		name = localName()
	}
	if name != "" {
		return name
	}
	name, _ = at.In(zone).Zone()
	return name
}

// localName is what the system's own time zone is called; "" where it does not tell.
var localName = sync.OnceValue(func() string {
	if tz, set := os.LookupEnv("TZ"); set {
		tz = strings.TrimPrefix(tz, ":")
		if tz == "" {
			return "UTC"
		}
		if _, err := time.LoadLocation(tz); err != nil {
			return ""
		}
		return tz
	}
	file, err := filepath.EvalSymlinks("/etc/localtime")
	if err != nil {
		return "" // Windows, a container
	}
	_, name, _ := strings.Cut(filepath.ToSlash(file), "/zoneinfo/")
	return name
})
