package library

// SetHook has fn called before every write of a restore.
func (o *RestoreOptions) SetHook(fn func(point string) error) { o.hook = fn }
