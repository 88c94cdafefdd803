package auth_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
)

// TestGrantText: what was kept of a grant is the grant; nothing given is not the same as a list of nothing.
func TestGrantText(t *testing.T) {
	t.Parallel()
	plain := auth.Grant{ID: "id1", Key: "k1", Audience: "https://prax.example.net", Client: "alice", User: "u_alice", Epoch: 7, Expires: time.Unix(1_700_000_000, 0).UTC()}
	narrow, nothing := plain, plain
	narrow.Allow = auth.Narrowing{Given: true, Names: []string{"praxec.command", "ünï\"<"}}
	narrow.Workflows = auth.Narrowing{Given: true, Names: []string{"open.*"}}
	nothing.Allow = auth.Narrowing{Given: true, Names: []string{}}
	seen := map[string]bool{}
	for _, g := range []auth.Grant{plain, narrow, nothing} {
		text := g.Text()
		read, err := auth.ReadGrant(text)
		if err != nil || seen[text] {
			t.Fatalf("%s: %v", text, err)
		}
		seen[text] = true
		if diff := cmp.Diff(&g, read); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	if none := (*auth.Grant)(nil).Text(); none != "" {
		t.Errorf("of none: %q", none)
	}
}

// TestGrantTextDoubtful: a text that is not one of ours to the byte is no grant; least of all one that narrows less.
func TestGrantTextDoubtful(t *testing.T) {
	t.Parallel()
	g := auth.Grant{ID: "id1", Client: "alice", User: "u", Epoch: 1, Expires: time.Unix(1, 0), Allow: auth.Narrowing{Given: true, Names: []string{"a"}}}
	text := g.Text()
	for _, doubtful := range []string{
		"", "{}", "null", "[]", text + " ", text[:len(text)-1],
		strings.Replace(text, `"allow":["a"]`, `"allow":null`, 1),
		strings.Replace(text, `"allow":["a"]`, `"Allow":["a"]`, 1),
		strings.Replace(text, `"allow":["a"]`, `"allow":["a"],"allow":["b"]`, 1),
		strings.Replace(text, `"allow":["a"]`, `"allow":["a",null]`, 1),
		strings.Replace(text, `"allow":["a"]`, `"allow":["`+strings.Repeat("x", auth.MaxGrant)+`"]`, 1),
		strings.Replace(text, `"epoch":1`, `"epoch":"1"`, 1),
	} {
		if doubtful == text {
			t.Fatal("not changed")
		}
		if read, err := auth.ReadGrant(doubtful); err == nil {
			t.Errorf("%s is read as %+v", doubtful, read)
		}
	}
	if long := (&auth.Grant{Client: "\xff"}).Text(); long != "{}" {
		t.Errorf("what cannot be written is %s", long)
	}
}
