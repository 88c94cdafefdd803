package executor

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"prax/auth"
)

// tier is the least tier of what is started, by who has a say in it: HIGH where a caller's value could be a program, or
// code of an interpreter. command is "" where it is not known. What is doubtful is HIGH: a literal that stands in
// between, or another order of the arguments, makes plain what is data.
func (p part) tier(command string) auth.Tier {
	if code, _ := weigh(command, p.args); code {
		return auth.High
	}
	for _, v := range p.env {
		if v.caller() && loads().MatchString(v.name) {
			return auth.High
		}
	}
	return auth.Low
}

// weigh tells whether a caller's value could be run, and the position from which on arguments are those of the program
// that is run in the end: a -- before it is meant for another.
func weigh(command string, args []argument) (code bool, own int) {
	line := append([]argument{{text: command}}, args...)
	for i, a := range args {
		before := line[i]
		code = code || a.caller() && before.path.IsZero() && slices.Contains(codeOptions, before.text)
	}
	wrapped := false // by a program that is known to start others
	for i, a := range line {
		h, ok := hostOf(a)
		if !ok || i > 0 && h.word && !wrapped {
			continue
		}
		wrapped = wrapped || h.wraps
		inCode, data := h.weigh(args[i:])
		code, own = code || inCode, max(own, i+data)
		if h.words == nil && !h.wraps {
			break // what follows is data of the code that it runs
		}
	}
	return code, own
}

// codeOptions are options whose value is code in some program or other.
var codeOptions = []string{
	"-c", "-e", "-E", "-r", "-ec", "-ce", "-lc", "-ic", "-xc", "-exc", "-euc", "-ne", "-pe", "-le", "-lne", "-lpe",
	"--code", "--command", "--eval", "--exec", "--execute", "--expression", "--init-command", "--rcfile", "--require",
	"-exec", "-execdir", "-ok", "-okdir", // find
	"--checkpoint-action", "--info-script", "--rsh", "--rsh-command", "--to-command", "--use-compress-program", // tar, rsync
	"--rsync-path", "--upload-pack", "--receive-pack", "--extcmd", "-toolexec", "--toolexec", "-vettool", "-wrapper", "-fplugin",
	"--cmd", "-cmd", "--compress-program", "--unzip-command", "--exec-batch", "--post-renderer", "--lua-filter", "--script-shell",
	"--use-askpass", "--pager", "--editor", "--on-download-complete",
}

// loads are the names of variables from which programs take code, or the places where they find it.
var loads = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(LD_.*|DYLD_.*|GCONV_PATH|PATH|HOME|XDG_.*|SHELL|SHELLOPTS|BASHOPTS|IFS|ENV|BASH_ENV|BASH_FUNC_.*|` +
		`PS[0-9]|PROMPT_COMMAND|ZDOTDIR|FPATH|CDPATH|PYTHON.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|NODE_.*|NPM_.*|PHP.*|LUA_.*|AWK.*|` +
		`JAVA_.*|_JAVA_OPTIONS|JDK_.*|CLASSPATH|GO.*|CC|CXX|CGO_.*|CARGO.*|RUST.*|MAKE.*|GIT_.*|SSH_.*|EDITOR|VISUAL|PAGER|MANPAGER|LESS.*|` +
		`BROWSER|DOCKER_.*|KUBECONFIG)$`)
})

// host is a program that runs what its arguments say: an interpreter, or what starts another program.
type host struct {
	operands int      // so many operands are the code or the program, and what is before it; the rest is its data
	code     string   // the letters of options whose value is the code: nothing else is, then
	flags    string   // the letters of options that have no value
	values   int      // how many elements the other options may have as values; 0: one
	sets     bool     // operands like NAME=value stand before the program
	words    []string // a caller has a say in code after one of these only, and where it says which; nil: anywhere
	opens    string   // the letters of options by which its operands may be programs as well
	options  []string // of its own, whose value is code, or leads to some
	wraps    bool     // it starts the program that its operands name
	word     bool     // its name may be a common word of another program's arguments
}

// all is more operands than there are: everything is code.
const all = 1 << 20

func hostOf(a argument) (host, bool) {
	if !a.path.IsZero() {
		return host{}, false
	}
	h, ok := hosts()[nameOf(a.text)]
	return h, ok
}

// nameOf is the name by which the table knows a program: without its folder and its version.
func nameOf(program string) string {
	name := strings.TrimSuffix(strings.ToLower(path.Base(program)), ".exe")
	first, _, _ := strings.Cut(name, ".") // as in vim.basic
	for _, name := range []string{name, strings.TrimRight(name, versions), first, strings.TrimRight(first, versions)} {
		if _, ok := hosts()[name]; ok {
			return name
		}
	}
	for prefix, name := range families {
		if strings.HasPrefix(first, prefix) {
			return name
		}
	}
	return name
}

const versions = "0123456789.-"

// families are programs whose names go on by the machine that they are for.
var families = map[string]string{"ld-linux": "ld.so", "ld-musl": "ld.so", "ld64": "ld.so", "qemu-": "qemu"}

// weigh tells whether a caller's value could be run by this program, and behind how many arguments its data begins.
func (h host) weigh(args []argument) (code bool, data int) {
	if h.leads(args) {
		return true, len(args)
	}
	if h.words != nil {
		return h.afterWord(args), 0
	}
	values := max(h.values, 1)
	seen, past, ended := 0, values, false // past: elements since the last option, which may be its values
	for i, a := range args {
		brought := i > 0 && h.brings(args[i-1])
		switch {
		case a.caller() && (seen < h.operands || brought):
			return true, len(args)
		case a.literal("--") && !ended:
			ended, past = true, values
		case a.option() && !ended && h.alone(a.text):
			past = values
		case a.option() && !ended:
			past = 0
		case past < values && !brought, h.sets && strings.Contains(a.text, "="):
			past++
		case seen < h.operands:
			seen, data, past = seen+1, i+1, past+1
		}
	}
	if seen < h.operands {
		return false, len(args)
	}
	return false, data
}

// leads tells whether a caller's value is that of an option of its own which leads to code, or an operand that it would
// run.
func (h host) leads(args []argument) bool {
	opens := false
	for i, a := range args {
		before := i > 0 && args[i-1].path.IsZero() && slices.Contains(h.options, args[i-1].text)
		if a.caller() && (opens || before) {
			return true
		}
		opens = opens || h.opens != "" && a.option() && a.text[1] != '-' && !strings.ContainsAny(a.text[1:2], "IMm") && strings.ContainsAny(a.text, h.opens)
	}
	return false
}

// afterWord tells whether a caller has a say after one of the words, or in which word it is: where nothing is before its
// value but options, and what may be their values.
func (h host) afterWord(args []argument) bool {
	said := false
	for i, a := range args {
		switch {
		case a.caller() && !said:
			return true
		case !a.path.IsZero() || a.option():
		case slices.Contains(h.words, a.text):
			return slices.ContainsFunc(args[i:], argument.caller)
		case i == 0 || !args[i-1].option() || strings.Contains(args[i-1].text, "=") || strings.HasPrefix(args[i-1].text, "--no-"):
			said = true
		}
	}
	return false
}

// option tells whether it is an option, whatever it means.
func (a argument) option() bool { return a.path.IsZero() && len(a.text) > 1 && a.text[0] == '-' }

// alone tells whether an option has no value in the next element.
func (h host) alone(option string) bool {
	return strings.Contains(option, "=") || strings.Trim(option[1:], h.flags) == "" && option[1] != '-'
}

// brings tells whether the next element is the code.
func (h host) brings(a argument) bool {
	if h.code == "" || !a.option() {
		return false
	}
	if strings.HasPrefix(a.text, "--") {
		return slices.Contains([]string{"--command", "--eval", "--expression", "--file", "--print", "--source"}, a.text)
	}
	return strings.Contains(h.code, a.text[len(a.text)-1:])
}
