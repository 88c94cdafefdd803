package definition_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/tools/definition"
)

func TestEffects(t *testing.T) {
	t.Parallel()
	set, problems := definition.Load("testdata/effects.yaml", kinds, own...)
	t.Log(problems)
	for _, d := range set.Definitions {
		t.Log(describe(d))
		t.Log(string(d.Text))
	}
	for _, c := range set.Capabilities {
		t.Log(c.Name, c.Tier, effectText(c.Executor), string(c.Input))
	}
	for _, c := range set.Connections {
		t.Logf("%+v %+v", c, c.Spec)
	}
	_ = cmp.Diff
}
