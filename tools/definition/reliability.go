package definition

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"prax/auth"
	"prax/tools"
	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// reliability says how an executor is tried.
type reliability struct {
	TimeoutMs *int64    `json:"timeoutMs"`
	Retry     *retry    `json:"retry"`
	Fallback  *fallback `json:"fallback"`
}

type retry struct {
	MaxAttempts    *int     `json:"maxAttempts"`
	Backoff        string   `json:"backoff"`
	InitialDelayMs *int64   `json:"initialDelayMs"`
	MaxDelayMs     *int64   `json:"maxDelayMs"`
	RetryOn        []string `json:"retryOn"`
}

type fallback struct {
	Executors []*value `json:"executors"`
	Strategy  string   `json:"strategy"`
}

// The bounds of tries.
const (
	maxTries     = 100
	maxFallbacks = 20
	maxWait      = 24 * time.Hour // of one try, and between two
)

// reliability compiles how an executor is tried. The tier of each fallback counts into that of the executor.
func (b *builder) reliability(e *workflow.Executor, v *value, at string, roots expr.Roots) {
	var read reliability
	again := e.Idempotent || b.repeatable(e)
	b.as = InvalidReliability
	if fits := b.read(v, at, &read); fits {
		e.Reliability.Timeout = b.wait(read.TimeoutMs, at+"/timeoutMs", 1)
		if read.Retry != nil {
			b.retry(&e.Reliability, read.Retry, at+"/retry")
		}
		b.judgeFallback(read.Fallback, at+"/fallback")
	}
	b.as = ""
	if read.Fallback != nil && len(read.Fallback.Executors) <= maxFallbacks {
		b.fallbacks(e, read.Fallback.Executors, at+"/fallback/executors", roots)
	}
	if more := e.Reliability.Tries > 1 || len(e.Reliability.Fallback) > 0; more && !again {
		b.warn(OnlyBefore, at, "counts only as long as nothing has begun: say idempotencyKey if what is reached does the work of one key once")
	}
}

func (b *builder) retry(to *workflow.Reliability, read *retry, at string) {
	to.Tries = b.number(read.MaxAttempts, at+"/maxAttempts", 1, maxTries, 1)
	b.oneOf(at+"/backoff", read.Backoff, string(workflow.BackoffNone), string(workflow.BackoffFixed), string(workflow.BackoffExponential))
	to.Backoff = cmp.Or(workflow.Backoff(read.Backoff), workflow.BackoffNone)
	to.First, to.Longest = b.wait(read.InitialDelayMs, at+"/initialDelayMs", 0), b.wait(read.MaxDelayMs, at+"/maxDelayMs", 0)
	to.RetryOn = read.RetryOn
	for i, class := range read.RetryOn {
		if !slices.Contains(workflow.Classes(), class) {
			b.about(BadValue, item(at+"/retryOn", i), "must be "+alternatives(workflow.Classes())+", is "+strconv.Quote(shown(class)))
		}
	}
}

// wait is a time in milliseconds within bounds; 0 where none is given.
func (b *builder) wait(n *int64, at string, least int64) time.Duration {
	const most = int64(maxWait / time.Millisecond)
	if n == nil {
		return 0
	}
	if *n < least || *n > most {
		b.about(BadValue, at, "must be "+strconv.FormatInt(least, 10)+" to "+strconv.FormatInt(most, 10)+" milliseconds")
		return 0
	}
	return time.Duration(*n) * time.Millisecond
}

func (b *builder) judgeFallback(read *fallback, at string) {
	if read == nil {
		return
	}
	b.oneOf(at+"/strategy", read.Strategy, "first_success")
	if n := len(read.Executors); n == 0 || n > maxFallbacks {
		b.about(BadValue, at+"/executors", "must be 1 to "+strconv.Itoa(maxFallbacks)+" executors")
	}
}

// fallbacks compiles what is tried in place of an executor that failed for good: each with its key.
func (b *builder) fallbacks(e *workflow.Executor, list []*value, at string, roots expr.Roots) {
	for i, one := range list {
		here := item(at, i)
		if !b.is(one, here, '{') {
			continue
		}
		switch kind := textOf(one.find("kind")); {
		case slices.Contains(plainKinds, kind):
			b.about(InvalidReliability, here+"/kind", "is "+strconv.Quote(kind)+", which has no effect that could stand for another one")
			continue
		case one.find("idempotencyKey") != nil:
			b.about(InvalidReliability, here+"/idempotencyKey", "is that of the executor, for all of its fallbacks: leave it out")
			continue
		}
		if _, ok := b.workflowKind(one, here); !ok {
			continue
		}
		if made := b.effect(one, here, roots); made != nil {
			if e.Idempotent && made.Kind == kindTool && !b.repeatable(made) {
				b.about(InvalidReliability, here, "is a tool, which takes no key: it could do once more what was done")
			}
			made.Idempotent, made.KeyText = e.Idempotent, e.KeyText
			e.Tier = max(e.Tier, made.Tier)
			e.Reliability.Fallback = append(e.Reliability.Fallback, made)
		}
	}
}

// repeatable tells whether doing it again does no more than once, as far as the configuration says so.
func (b *builder) repeatable(e *workflow.Executor) bool {
	config, _ := parseJSON(e.Config, &budget{})
	switch {
	case config == nil:
	case e.Kind == kindREST:
		return slices.Contains([]string{"", "GET", "HEAD", "OPTIONS"}, textOf(config.find("method")))
	case e.Kind == kindTool:
		name := textOf(config.find("tool"))
		return slices.ContainsFunc(b.builtin, func(t *tools.Tool) bool {
			return (t.Idempotent || t.Tier == auth.Low) && spelled(t.Name, name)
		})
	}
	return false
}

// maxKey bounds the text of an idempotency key, in bytes.
const maxKey = 200

var (
	keyForm  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[!-~]([ -~]*[!-~])?$`) }) // what a header can carry
	keyPlace = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[^{}]*\}`) })
)

// The names that a key can have in braces.
var (
	keyNames  = []string{"{workflowId}", "{transition}", keyOfCall}
	keyUnique = []string{"{workflowId}", keyOfCall} // one of them has to be there
)

// keyOfCall is the name of what one call has for itself.
const keyOfCall = "{correlationId}"

// key reads idempotencyKey: true, for one of each attempt's own, or a text with names in braces.
func (b *builder) key(v *value, at string) (idempotent bool, text string) {
	switch {
	case v == nil || v.kind == 'f':
		return false, ""
	case v.kind == 't':
		return true, ""
	case v.kind != '"':
		b.about(WrongType, at, "must be true, or a text, is "+named(v.kind))
		return false, ""
	case len(v.text) > maxKey || !keyForm().MatchString(v.text):
		b.about(BadValue, at, "must be 1 to "+strconv.Itoa(maxKey)+" bytes of printable ASCII, without blanks at its ends")
		return false, ""
	}
	for _, name := range keyPlace().FindAllString(v.text, -1) {
		if !slices.Contains(keyNames, name) {
			b.about(BadTemplate, at, "has "+strconv.Quote(name)+": known are "+strings.Join(keyNames, ", "))
			return false, ""
		}
	}
	if strings.ContainsAny(keyPlace().ReplaceAllString(v.text, ""), "{}") {
		b.about(BadTemplate, at, "has a brace by itself: known are "+strings.Join(keyNames, ", "))
		return false, ""
	}
	if !slices.ContainsFunc(keyUnique, func(name string) bool { return strings.Contains(v.text, name) }) {
		b.about(BadValue, at, "would be one for every run, of which the second would do nothing: put "+alternatives(keyUnique)+" into it")
		return false, ""
	}
	return true, v.text
}
