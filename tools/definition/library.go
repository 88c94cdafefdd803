package definition

import (
	"slices"
	"strconv"
	"strings"

	"prax/store/digest"
	"prax/tools/workflow"
)

// fragment is one of `skills` or `scripts`.
type fragment struct {
	Verb      string `json:"verb"`
	Lifecycle string `json:"lifecycle"`
	Title     string `json:"title"`
	Body      string `json:"body"`
	URI       string `json:"uri"`
	Hash      string `json:"hash"`
	Source    string `json:"source"`
}

// The words that a fragment may use.
var (
	skillVerbs  = []string{"triage", "diagnose", "plan", "implement", "review", "refactor", "explain", "compose", "research", "summarize"}
	scriptVerbs = []string{"build", "test", "deploy", "format", "lint", "install", "verify", "run", "inspect", "search", "fetch", "audit"}
	lifecycles  = []string{"experimental", "stable", "deprecated", "stub"}
	skillRoots  = append([]string{"authoring", "debug", "deploy", "import", "lifecycle"}, skillVerbs...)
)

// maxBody bounds a fragment's body, in bytes.
const maxBody = 256 << 10

// library reads the skills and the scripts, by subject.
func (c *compiler) library(f *file) {
	c.fragments = map[string]*workflow.Guidance{}
	for _, part := range []struct {
		name   string
		v      *value
		script bool
	}{{"skills", f.Skills, false}, {"scripts", f.Scripts, true}} {
		path := "/" + part.name
		if part.v == nil || !c.is(part.v, path, '{') {
			continue
		}
		for _, m := range part.v.members {
			c.fragment(m, below(path, m.name), part.script)
		}
	}
}

func (c *compiler) fragment(m member, path string, script bool) {
	var read fragment
	if !c.subject(m, path, script) || !c.read(m.value, path, &read) {
		return
	}
	g := &workflow.Guidance{Subject: m.name, Script: script, Verb: read.Verb, Lifecycle: read.Lifecycle, Source: read.Source}
	if g.Source == "" {
		g.Source = "config"
	}
	verbs := skillVerbs
	if script {
		verbs = scriptVerbs
	}
	c.word(read.Verb, path, "verb", verbs, MissingVerb, InvalidVerb)
	c.word(read.Lifecycle, path, "lifecycle", lifecycles, MissingLifecycle, InvalidLifecycle)
	g.Body = c.body(&read, path, script)
	g.Hash = bodyHash(g.Body, script)
	if read.Hash != "" && g.Body != "" && read.Hash != g.Hash {
		c.about(HashMismatch, path+"/hash", "is not that of the body, which is "+g.Hash)
	}
	c.fragments[m.name] = g
	c.subjects = append(c.subjects, m.name)
}

func (c *compiler) subject(m member, path string, script bool) bool {
	first, _, _ := strings.Cut(m.name, ".")
	quoted := "the subject " + strconv.Quote(shown(m.name))
	switch {
	case len(m.name) > maxLabel || !subjectForm().MatchString(m.name):
		c.note(InvalidSubject, m.place, path, quoted+" must be two or more words of a-z, 0-9 and - with dots between, at most 128 bytes")
	case c.fragments[m.name] != nil:
		c.note(NameTaken, m.place, path, quoted+" is that of a skill already")
	case !script && !c.anyRoot && !slices.Contains(skillRoots, first):
		c.note(InvalidSubjectRoot, m.place, path, quoted+" must begin with "+alternatives(skillRoots)+", or praxec.strict_namespacing be false")
	default:
		return true
	}
	return false
}

// word notes a word that is missing, or none of those that there are.
func (c *compiler) word(text, path, key string, known []string, missing, invalid Code) {
	switch {
	case text == "":
		c.about(missing, path, "has no "+key+": known are "+strings.Join(known, ", "))
	case !slices.Contains(known, text):
		c.about(invalid, path+"/"+key, "is "+strconv.Quote(shown(text))+": known are "+strings.Join(known, ", "))
	}
}

// body is the text of a fragment: what stands in it, or a file of its own for a script.
func (c *compiler) body(read *fragment, path string, script bool) string {
	switch {
	case read.URI != "" && !script:
		c.about(NotServed, path+"/uri", "is not served for a skill: write its body here")
		return ""
	case read.URI != "" && read.Body != "":
		c.about(BadValue, path, "has both a body and a uri")
		return ""
	case read.URI != "" && read.Hash == "":
		c.about(MissingKey, path, "has a uri, and no hash")
		return ""
	case read.URI != "":
		read.Body = c.attached[path]
	}
	switch {
	case strings.TrimSpace(read.Body) == "":
		c.about(MissingBody, path, "has no body")
	case len(read.Body) > maxBody:
		c.about(BadValue, path, "has a body of more than "+strconv.Itoa(maxBody)+" bytes")
	default:
		return read.Body
	}
	return ""
}

// bodyHash is that of the words of a skill, wherever its lines end, and of a script but for the line ends after it.
func bodyHash(body string, script bool) string {
	if script {
		body = strings.TrimRight(body, "\n")
	} else {
		body = strings.Join(strings.Fields(body), " ")
	}
	return "sha256:" + digest.Hex([]byte(body))
}
