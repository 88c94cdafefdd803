package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNotify: there are two forms, an address and a list of strings, and nothing is guessed.
func TestNotify(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`["/usr/local/bin/tell"]`:                        {"/usr/local/bin/tell"},
		`["./tell", "--to", "a b", "", "null", "$(id)"]`: {"./tell", "--to", "a b", "", "null", "$(id)"},
		`["tell"]`: {"tell"},
		"https://hooks.example/services/T0/B0/s3cr": {"https://hooks.example/services/T0/B0/s3cr"},
		"https://ops:p4ss@10.1.2.3:8443/?key=1":     {"https://ops:p4ss@10.1.2.3:8443/?key=1"},
		"http://127.0.0.1:9/":                       {"http://127.0.0.1:9/"},
		"http://[::1]:9/x":                          {"http://[::1]:9/x"},
		"http://localhost:9/":                       {"http://localhost:9/"},
	} {
		n, err := readNotify(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := n.argv
		if n.url != nil {
			got = []string{n.url.String()}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
		if hook, err := n.hook(nil, nil); hook == nil || err != nil {
			t.Errorf("%s: no hook: %v", text, err)
		}
	}
	if hook, err := (*notify)(nil).hook(nil, nil); hook != nil || err != nil {
		t.Errorf("unset: %v, %v", hook, err)
	}
}

// TestNotifyRefused: what is neither form, or leads where no request may, is refused in words that do not repeat it.
func TestNotifyRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"/usr/local/bin/tell --key s3cret", "tell s3cret", `"s3cret"`, `{"s3cret":1}`,
		`["s3cret"`, `[]`, `[""]`, `["s3cret", 1]`, `["s3cret", null]`, `[["s3cret"]]`, `["s3cret"] x`, `["bin/s3cret"]`, `["../s3cret"]`, `["s3cret\u0000"]`,
		"http://hooks.example/s3cret", "http://10.1.2.3/s3cret", "http://u:s3cret@hooks.example/", "ftp://127.0.0.1/s3cret", "https:s3cret", "https:///s3cret",
		"https://hooks.example/#s3cret", "https://hooks.example:s3cret/", "https://u:s3cret/x@hooks.example/", "//hooks.example/s3cret",
		"https://169.254.169.254/s3cret", "https://u:s3cret@metadata.google.internal/", "https://[fd00:ec2::254]/s3cret", "https://[fe80::1%25eth0]/s3cret",
		"https://2130706433/s3cret", "https://höst.example/s3cret",
	} {
		n, err := readNotify(text)
		if err == nil {
			t.Errorf("%s: taken as %+v", text, n)
			continue
		}
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: the refusal repeats it: %v", text, err)
		}
	}
}
