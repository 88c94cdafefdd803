package executor

// The letters of the options of some interpreters that have no value.
const (
	shellFlags  = "abefhiklmnprstuvxBCEHPT"
	pythonFlags = "bBdEhiIOPqsSuvVx?"
)

// hosts are the programs that run what their arguments say, by name. A name that is not here is taken to treat its
// arguments as data, but for what stands after one of codeOptions.
var hosts = hostTable()

func hostTable() map[string]host {
	table := map[string]host{}
	add := func(h host, names ...string) {
		for _, name := range names {
			table[name] = h
		}
	}
	addInterpreters(add)
	addWrappers(add)
	addBuilders(add)
	return table
}

func addInterpreters(add func(host, ...string)) {
	// The first operand is a file with code, or the code itself.
	add(host{operands: 1, code: "c", flags: shellFlags}, "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash")
	add(host{operands: 1, code: "c"}, "csh", "tcsh", "fish", "elvish", "nu", "xonsh")
	add(host{operands: 1, code: "cm", flags: pythonFlags}, "python", "pypy", "ipython")
	add(host{operands: 1, code: "eE", flags: "wTtWXs"}, "perl")
	add(host{operands: 1, code: "e", flags: "ws"}, "ruby", "jruby")
	add(host{operands: 1, code: "r", flags: "nq"}, "php")
	add(host{operands: 1, code: "fe"}, "awk", "gawk", "mawk", "nawk")
	add(host{operands: 1, code: "fe", flags: "nrEsuz"}, "sed", "gsed")
	add(host{operands: 1, code: "e"}, "osascript", "rscript", "julia")
	add(host{operands: 1, code: "ep", word: true}, "node")
	add(host{operands: 1, values: 2}, "jq", "gojq", "jaq", "yq")
	add(host{operands: 1}, "lua", "luajit", "tclsh", "wish", "guile", "racket", "scheme", "sbcl", "clisp", "elixir", "escript",
		"runghc", "runhaskell", "groovy", "scala", "kotlin", "java", "dotnet", "nodejs", "qjs", "d8")
	// The first operand says what to do with the next.
	add(host{operands: 2, word: true}, "deno", "bun")
	// Code may stand anywhere.
	add(host{operands: all}, "pwsh", "powershell", "sqlite", "sqlite3", "psql", "mysql", "mariadb", "redis-cli", "mongosh", "gdb", "lldb",
		"vim", "nvim", "vi", "ex", "ed", "emacs", "gnuplot", "octave", "matlab", "dc", "bc", "m4", "erl", "ghci", "irb")
	add(host{operands: all, word: true}, "r", "expect", "at", "batch", "eval", "source", "make", "gmake", "ninja", "just")
}

func addWrappers(add func(host, ...string)) {
	// The first operand is a program.
	add(host{operands: 1, wraps: true, sets: true}, "sudo", "doas")
	add(host{operands: 1, wraps: true, sets: true, word: true}, "env")
	add(host{operands: 1, wraps: true}, "xargs", "nohup", "ionice", "stdbuf", "setsid", "unshare", "nsenter", "strace", "ltrace", "setpriv",
		"prlimit", "systemd-run", "systemd-inhibit", "firejail", "bwrap", "fakeroot", "busybox", "toybox", "linux32", "linux64", "chpst",
		"xvfb-run", "dbus-run-session", "caffeinate", "unbuffer", "catchsegv", "valgrind", "pkexec", "dumb-init", "tini")
	add(host{operands: 1, wraps: true, word: true}, "nice", "time", "exec", "command", "builtin")
	// An operand of its own is before it.
	add(host{operands: 2, wraps: true}, "timeout", "gtimeout", "chroot", "flock", "taskset", "chrt", "setarch")
	// Its operands become the text of a command, here or elsewhere.
	add(host{operands: all, wraps: true}, "ssh", "rsh", "mosh", "sshpass", "pssh", "parallel", "su", "runuser", "tmux", "ansible", "gcloud",
		"npx", "bunx", "uvx", "pipx")
	add(host{operands: all, wraps: true, word: true}, "watch", "script", "screen", "entr")
}

func addBuilders(add func(host, ...string)) {
	// Some of their commands fetch and run what they are told.
	add(host{words: []string{"run", "exec", "create", "debug", "start", "build", "compose", "plugin"}, word: true},
		"docker", "podman", "nerdctl", "buildah", "crictl", "ctr", "lxc", "kubectl", "oc", "helm")
	add(host{words: []string{"run", "tool", "generate", "install", "get", "env"}, word: true}, "go")
	add(host{words: []string{"run", "run-script", "exec", "x", "dlx", "install", "i", "ci", "add", "create", "init", "config", "set"}, word: true},
		"npm", "pnpm", "yarn", "corepack")
	add(host{words: []string{"install", "download", "wheel", "run", "add", "config", "tool"}, word: true},
		"pip", "uv", "poetry", "cargo", "gem", "bundle", "brew", "apt", "apt-get", "yum", "dnf", "apk", "snap", "conda", "nix")
	add(host{words: []string{"config", "filter-branch", "bisect", "submodule", "difftool", "mergetool", "archive", "upload-pack"}, word: true}, "git")
}
