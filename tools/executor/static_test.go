package executor_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"prax/tools"
)

// TestContent: a block of every type, filled from the arguments where it is a template.
func TestContent(t *testing.T) {
	t.Parallel()
	args := `{"who":"bob","n":3}`
	for _, tt := range []struct {
		name, block string
		want        tools.Block
	}{
		{"text", `{'type':'text','text':'Hi {{ $.arguments.who }}!'}`, tools.Block{Type: "text", Text: "Hi bob!"}},
		{"image", `{'type':'image','data':'cG5n','mimeType':'image/png'}`, tools.Block{Type: "image", Data: []byte("png"), MIMEType: "image/png"}},
		{"audio", `{'type':'audio','data':'','mimeType':'audio/wav; codecs=1'}`, tools.Block{Type: "audio", Data: []byte{}, MIMEType: "audio/wav; codecs=1"}},
		{"text resource", `{'type':'resource','resource':{'uri':'test://{{ $.arguments.n }}','mimeType':'text/plain','text':'<{{ $.arguments.who }}>'}}`,
			tools.Block{Type: "resource", Resource: jsontext.Value(`{"uri":"test://3","mimeType":"text/plain","text":"<bob>"}`)}},
		{"empty text resource", `{'type':'resource','resource':{'uri':'u','text':''}}`, tools.Block{Type: "resource", Resource: jsontext.Value(`{"uri":"u","text":""}`)}},
		{"blob resource", `{'type':'resource','resource':{'uri':'u','blob':'cG5n'}}`, tools.Block{Type: "resource", Resource: jsontext.Value(`{"uri":"u","blob":"cG5n"}`)}},
		{"link", `{'type':'resource_link','uri':'test://{{ $.arguments.who }}','name':'{{ $.arguments.n }}'}`, tools.Block{Type: "resource_link", URI: "test://bob", Name: "3"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			res, err := play(t, `{'content':[`+tt.block+`]}`, args)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&tools.Result{Content: []tools.Block{tt.want}}, res); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

// TestStructured: strings are templates, and one that is a place alone stands for the argument itself.
func TestStructured(t *testing.T) {
	t.Parallel()
	res, err := play(t, `{'structured':{'a':'{{ $.arguments.n }}','b':'n={{ $.arguments.n }}','c':['{{ $.arguments.o }}',true,null,1.5],'d':'{{ $.arguments.none }}','{{ $.arguments.n }}':1}}`,
		`{"n":7,"o":{"z":[1],"a":"{{ $.arguments.n }}"}}`)
	if err != nil {
		t.Fatal(err)
	}
	want := &tools.Result{Content: []tools.Block{}, Structured: jsontext.Value(
		`{"a":7,"b":"n=7","c":[{"a":"{{ $.arguments.n }}","z":[1]},true,null,1.5],"d":null,"{{ $.arguments.n }}":1}`)}
	if err := res.Structured.Canonicalize(); err != nil {
		t.Fatal(err)
	}
	if err := want.Structured.Canonicalize(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, res); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

// TestNumbersAsWritten: an operator's id of 19 digits, an amount of two decimals: the caller gets them, not
// the floats next to them.
func TestNumbersAsWritten(t *testing.T) {
	t.Parallel()
	const structured = `{"amount":1.50,"id":9007199254740993,"list":[1e2,-0,12345678901234567890]}`
	res, err := play(t, `{'structured':`+structured+`}`, `{}`)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(res.Structured); got != structured {
		t.Errorf("structured %s, want %s", got, structured)
	}
}

// TestFailures: a tool's own failure is a result, an error of the protocol is none.
func TestFailures(t *testing.T) {
	t.Parallel()
	res, err := play(t, `{'isError':true,'content':[{'type':'text','text':'no {{ $.arguments.what }}'}]}`, `{"what":"luck"}`)
	if err != nil || !res.IsError || res.Content[0].Text != "no luck" {
		t.Errorf("isError: %+v, %v", res, err)
	}
	res, err = play(t, `{'protocolError':{'code':-32603,'message':'broken: {{ $.arguments.what }}'}}`, `{"what":"{{ $.arguments.what }}"}`)
	var protocol *tools.ProtocolError
	if res != nil || !errors.As(err, &protocol) || *protocol != (tools.ProtocolError{Code: -32603, Message: "broken: {{ $.arguments.what }}"}) {
		t.Errorf("protocolError: %+v, %v", res, err)
	}
}

// TestRefusals: what cannot be played is told by path when it is loaded.
func TestRefusals(t *testing.T) {
	t.Parallel()
	promise := jsontext.Value(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`)
	block := func(b string) string { return `{'rounds':[{'content':[` + b + `]}]}` }
	for _, tt := range []struct {
		name, config string
		output       jsontext.Value
		want         []string // "path: part of the message"
	}{
		{"no round", `{}`, nil, []string{"/rounds: must be one round"}},
		{"two rounds", `{'rounds':[` + text("a") + `,` + text("b") + `]}`, nil, []string{"/rounds: does not ask"}},
		{"an empty round", `{'rounds':[{}]}`, nil, []string{"/rounds/0: answers nothing"}},
		{"a round that asks", `{'rounds':[{'ask':{'k':{'method':'elicitation/create'}}}]}`, nil, []string{"/rounds/0/ask: not served by this version"}},
		{"a task", `{'rounds':[{'task':'optional'}]}`, nil, []string{"/rounds/0/task: not served by this version"}},
		{"101 blocks", block(strings.TrimSuffix(strings.Repeat(`{'type':'text','text':''},`, 101), ",")), nil, []string{"/rounds/0: more than a round holds"}},
		{"1,001 reports", `{'rounds':[{'structured':{},'progress':[` + reports(1001) + `]}]}`, nil, []string{"/rounds/0: more than a round holds"}},

		{"a type that is none", block(`{'type':'video'}`), nil, []string{`/rounds/0/content/0/type: is "video"`}},
		{"no type", block(`{'text':'x'}`), nil, []string{"/rounds/0/content/0/type: must be text, image"}},
		{"text without text", block(`{'type':'text'}`), nil, []string{"/rounds/0/content/0: has no text"}},
		{"text with data", block(`{'type':'text','text':'','data':''}`), nil, []string{"/rounds/0/content/0/data: does not belong"}},
		{"an image without anything", block(`{'type':'image'}`), nil, []string{"/rounds/0/content/0: has no data", "/rounds/0/content/0: has no mimeType"}},
		{"bad base64", block(`{'type':'image','data':'cG5','mimeType':'image/png'}`), nil, []string{"/rounds/0/content/0/data: base64"}},
		{"base64 with a line end", block(`{'type':'image','data':'cG\n5n','mimeType':'image/png'}`), nil, []string{"/rounds/0/content/0/data: without line ends"}},
		{"base64 with loose bits", block(`{'type':'audio','data':'cG5=','mimeType':'audio/wav'}`), nil, []string{"/rounds/0/content/0/data: base64"}},
		{"a bad media type", block(`{'type':'image','data':'','mimeType':'png'}`), nil, []string{"/rounds/0/content/0/mimeType: media type"}},
		{"a resource of nothing", block(`{'type':'resource','resource':{}}`), nil, []string{"/rounds/0/content/0/resource: has no uri", "/rounds/0/content/0/resource: one of text and blob"}},
		{"a resource of both", block(`{'type':'resource','resource':{'uri':'u','text':'','blob':'x'}}`), nil, []string{"/rounds/0/content/0/resource: one of", "/rounds/0/content/0/resource/blob: base64"}},
		{"no resource", block(`{'type':'resource'}`), nil, []string{"/rounds/0/content/0: has no resource"}},
		{"a link without a name", block(`{'type':'resource_link','uri':'u'}`), nil, []string{"/rounds/0/content/0: has no name"}},

		{"an open place", block(`{'type':'text','text':'{{ $.arguments.a'}`), nil, []string{"/rounds/0/content/0/text: without its }}"}},
		{"an empty place", block(`{'type':'text','text':'{{}}'}`), nil, []string{"/rounds/0/content/0/text: must begin with $.arguments"}},
		{"another root", block(`{'type':'text','text':'{{ $.context.a }}'}`), nil, []string{"/rounds/0/content/0/text: must begin with $.arguments"}},
		{"nearly the root", block(`{'type':'text','text':'{{ $.argumentsx }}'}`), nil, []string{"/rounds/0/content/0/text: must begin with $.arguments"}},
		{"answers", block(`{'type':'text','text':'{{ $.answers.a }}'}`), nil, []string{"/rounds/0/content/0/text: does not ask for"}},
		{"a path with a blank", block(`{'type':'text','text':'{{ $.arguments.a b }}'}`), nil, []string{"/rounds/0/content/0/text: names of letters"}},
		{"a path that ends in a dot", block(`{'type':'text','text':'{{ $.arguments. }}'}`), nil, []string{"/rounds/0/content/0/text: names of letters"}},
		{"an index that is none", block(`{'type':'text','text':'{{ $.arguments[01] }}'}`), nil, []string{"/rounds/0/content/0/text: a number between its brackets"}},
		{"a path of 33 steps", block(`{'type':'text','text':'{{ $.arguments` + strings.Repeat(".a", 33) + ` }}'}`), nil, []string{"/rounds/0/content/0/text: more than 32 steps"}},
		{"a bad text in quotes", block(`{'type':'text','text':'{{ \'x\' y }}'}`), nil, []string{"/rounds/0/content/0/text: a JSON string"}},
		{"a bad place within structure", `{'rounds':[{'structured':{'a/b':[{'c':'{{'}]}}]}`, nil, []string{"/rounds/0/structured/a~1b/0/c: without its }}"}},

		{"a structure that is no object", `{'rounds':[{'structured':[1]}]}`, nil, []string{"/rounds/0/structured: must be an object"}},
		{"a structured failure", `{'rounds':[{'isError':true,'structured':{}}]}`, nil, []string{"/rounds/0/structured: does not go with isError"}},
		{"a promise that is not kept", `{'rounds':[` + text("x") + `]}`, promise, []string{"/rounds/0: which outputSchema promises"}},
		{"a promise that is broken", `{'rounds':[{'structured':{'n':'7','m':1}}]}`, promise, []string{"/rounds/0/structured/m: not known here", "/rounds/0/structured/n: must be an integer"}},

		{"a number out of range", `{'rounds':[{'structured':{'n':1e400}}]}`, nil, []string{"/rounds/0/structured: numbers in range"}},
		{"five images of a MiB", block(strings.TrimSuffix(strings.Repeat(`{'type':'image','mimeType':'image/png','data':'`+strings.Repeat("AAAA", 1<<18)+`'},`, 5), ",")), nil, []string{"/rounds/0: answers more than 4 MiB"}},
		{"five blobs of a MiB", block(strings.TrimSuffix(strings.Repeat(`{'type':'resource','resource':{'uri':'u','blob':'`+strings.Repeat("AAAA", 1<<18)+`'}},`, 5), ",")), nil, []string{"/rounds/0: answers more than 4 MiB"}},
		{"five texts of a MiB", block(strings.TrimSuffix(strings.Repeat(`{'type':'text','text':'`+strings.Repeat("a", 1<<20)+`'},`, 5), ",")), nil, []string{"/rounds/0: answers more than 4 MiB"}},
		{"a message of 5 MiB", `{'rounds':[{'protocolError':{'code':1,'message':'` + strings.Repeat("m", 5<<20) + `'}}]}`, nil, []string{"/rounds/0: answers more than 4 MiB"}},

		{"an error of the protocol beside content", `{'rounds':[{'content':[],'protocolError':{'code':1,'message':'m'}}]}`, nil, []string{"/rounds/0/protocolError: comes in place of"}},
		{"an error of the protocol without anything", `{'rounds':[{'protocolError':{}}]}`, nil, []string{"/rounds/0/protocolError: a code other than 0", "/rounds/0/protocolError: a message"}},
		{"a bad message", `{'rounds':[{'protocolError':{'code':1,'message':'{{'}}]}`, nil, []string{"/rounds/0/protocolError/message: without its }}"}},

		{"progress of three numbers", `{'rounds':[{'structured':{},'progress':[[1,2,3]]}]}`, nil, []string{"/rounds/0/progress/0: two numbers"}},
		{"progress backwards", `{'rounds':[{'structured':{},'progress':[[1,2],[1,2]]}]}`, nil, []string{"/rounds/0/progress/1: further"}},
		{"progress of less than nothing", `{'rounds':[{'structured':{},'progress':[[1,-2]]}]}`, nil, []string{"/rounds/0/progress/0: 0 (not known) or more"}},
		{"a negative delay", `{'rounds':[{'structured':{},'delayMs':-1}]}`, nil, []string{"/rounds/0/delayMs: at least 0"}},
		{"a delay of two days", `{'rounds':[{'structured':{},'delayMs':172800000}]}`, nil, []string{"/rounds/0/delayMs: at most a day"}},
		{"a delay that is text", `{'rounds':[{'structured':{},'delayMs':'5'}]}`, nil, []string{"/rounds/0/delayMs: a number of milliseconds, or {path, factor}"}},
		{"a delay of another form", `{'rounds':[{'structured':{},'delayMs':{'path':'$.arguments.s','times':2}}]}`, nil, []string{"/rounds/0/delayMs: {path, factor}"}},
		{"a delay by no path", `{'rounds':[{'structured':{},'delayMs':{'path':'s'}}]}`, nil, []string{"/rounds/0/delayMs/path: must begin with $.arguments"}},
		{"a factor of 0", `{'rounds':[{'structured':{},'delayMs':{'path':'$.arguments.s','factor':0}}]}`, nil, []string{"/rounds/0/delayMs/factor: more than 0"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			handler, found := compile(t, &tools.Tool{Output: tt.output}, tt.config)
			if handler != nil || len(found) != len(tt.want) {
				t.Fatalf("violations %v, want %v", found, tt.want)
			}
			for i, v := range found {
				path, part, _ := strings.Cut(tt.want[i], ": ")
				if v.Path != path || !strings.Contains(v.Message, part) {
					t.Errorf("%s %s\nwant %s", v.Path, v.Message, tt.want[i])
				}
			}
		})
	}
}

func reports(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("[%d,0]", i))
	}
	return strings.Join(all, ",")
}

// TestPromise: what depends on the arguments is not judged at load, what does not is.
func TestPromise(t *testing.T) {
	t.Parallel()
	tool := &tools.Tool{Output: jsontext.Value(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)}
	for _, round := range []string{`{'structured':{'n':'{{ $.arguments.n }}'}}`, `{'structured':{'n':5}}`, `{'protocolError':{'code':1,'message':'m'}}`, `{'isError':true,'content':[{'type':'text','text':''}]}`} {
		if _, found := compile(t, tool, `{'rounds':[`+round+`]}`); found != nil {
			t.Errorf("%s: %v", round, found)
		}
	}
	if !tool.Idempotent {
		t.Error("a static tool may be called again")
	}
}

// TestPace: progress is spread over the delay, the first report at once and the last at its end.
func TestPace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, round, arguments string
		want                   []string // "milliseconds done/total"
		after                  time.Duration
	}{
		{"three", `{'progress':[[0,100],[50,100],[100,100]],'delayMs':100,'structured':{}}`, `{}`, []string{"0 0/100", "50 50/100", "100 100/100"}, 100 * time.Millisecond},
		{"one", `{'progress':[[1,0]],'delayMs':10.5,'structured':{}}`, `{}`, []string{"0 1/0"}, 10500 * time.Microsecond},
		{"without a delay", `{'progress':[[0,2],[1,2],[2,2]],'structured':{}}`, `{}`, []string{"0 0/2", "0 1/2", "0 2/2"}, 0},
		{"by an argument", `{'progress':[[0,1],[1,1]],'delayMs':{'path':'$.arguments.a[0].s','factor':1000},'structured':{}}`, `{"a":[{"s":2.5}]}`, []string{"0 0/1", "2500 1/1"}, 2500 * time.Millisecond},
		{"by an argument that is not there", `{'delayMs':{'path':'$.arguments.s'},'structured':{}}`, `{}`, nil, 0},
		{"before an error", `{'delayMs':{'path':'$.arguments.s'},'protocolError':{'code':1,'message':'m'}}`, `{"s":30}`, nil, 30 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			handler, found := compile(t, &tools.Tool{}, `{'rounds':[`+tt.round+`]}`)
			if found != nil {
				t.Fatal(found)
			}
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				var got []string
				_, err := handler(t.Context(), &tools.Call{Arguments: jsontext.Value(tt.arguments), Progress: func(p tools.Progress) {
					got = append(got, fmt.Sprintf("%d %g/%g", time.Since(start).Milliseconds(), p.Done, p.Total))
				}})
				if protocol := (*tools.ProtocolError)(nil); err != nil && !errors.As(err, &protocol) {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("progress (-want +got):\n%s", diff)
				}
				if time.Since(start) != tt.after {
					t.Errorf("answered after %v, want %v", time.Since(start), tt.after)
				}
			})
		})
	}
}

// TestTheDeadlineEndsADelay: at once, and with nothing left running.
func TestTheDeadlineEndsADelay(t *testing.T) {
	t.Parallel()
	handler, found := compile(t, &tools.Tool{}, `{'rounds':[{'delayMs':86400000,'structured':{},'progress':[[0,2],[1,2],[2,2]]}]}`)
	if found != nil {
		t.Fatal(found)
	}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		reports := 0
		res, err := handler(ctx, &tools.Call{Arguments: jsontext.Value(`{}`), Progress: func(tools.Progress) { reports++ }})
		if res != nil || !errors.Is(err, context.DeadlineExceeded) || reports != 1 || time.Since(start) != time.Minute {
			t.Errorf("%v, %v after %v and %d reports", res, err, time.Since(start), reports)
		}
	})
}

// TestBadDelays: an argument that is no time is refused, whatever the schema let through.
func TestBadDelays(t *testing.T) {
	t.Parallel()
	for _, seconds := range []string{`-1`, `"5"`, `true`, `[1]`, `1e300`, `86401`} {
		_, err := play(t, `{'delayMs':{'path':'$.arguments.s','factor':1000},'structured':{}}`, `{"s":`+seconds+`}`)
		var own *tools.Error
		if !errors.As(err, &own) || own.Code != tools.CodeInvalidArguments || !strings.Contains(own.Message, "from 0 to 86400") {
			t.Errorf("%s: %v", seconds, err)
		}
	}
}
