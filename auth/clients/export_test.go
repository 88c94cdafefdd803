package clients

// BeforeRename has f run right before an edit compares the file for the last time, until the function
// that it returns is called.
func BeforeRename(f func()) (restore func()) {
	old := testBeforeRename
	testBeforeRename = f
	return func() { testBeforeRename = old }
}
