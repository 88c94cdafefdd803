package greet

import "testing"

func TestName(t *testing.T) {
	if got := Greeting("Ada"); got != "Hello, Ada!" {
		t.Error(got)
	}
}

func TestNobody(t *testing.T) {
	if got := Greeting(""); got != "Hello, world!" {
		t.Error(got)
	}
}

func TestSpaceAround(t *testing.T) {
	if got := Greeting("  Ada \n"); got != "Hello, Ada!" {
		t.Error(got)
	}
}
