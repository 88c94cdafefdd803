package executor

import (
	"strings"
	"sync"
)

// The letters of the options of some interpreters that have no value.
const (
	shellFlags  = "abefhiklmnprstuvxBCEHPT"
	pythonFlags = "bBdEhiIOPqsSuvVx?"
)

// hosts are the programs that run what their arguments say, by name. A name that is not here is taken to treat its
// arguments as data, but for what stands after one of codeOptions.
var hosts = sync.OnceValue(hostTable)

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
	addOpeners(add)
	addOptions(add)
	return table
}

func addInterpreters(add func(host, ...string)) {
	// The first operand is a file with code, or the code itself.
	add(host{operands: 1, code: "c", flags: shellFlags}, "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash",
		"posh", "yash", "osh", "ysh", "lksh", "oksh", "pdksh", "rksh", "sash", "hush", "scsh", "rzsh", "bash-static", "zsh-static", "git-shell")
	add(host{operands: 1, code: "c"}, "csh", "tcsh", "fish", "elvish", "nu", "nushell", "xonsh")
	add(host{operands: 1, code: "cm", flags: pythonFlags}, "python", "pypy", "ipython")
	// With -n or -p it opens its operands, and one that ends in | is a program (perlop, I/O operators).
	add(host{operands: 1, code: "eE", flags: "wTtWXs", opens: "np"}, "perl")
	add(host{operands: 1, code: "e", flags: "ws"}, "ruby", "jruby")
	add(host{operands: 1, code: "r", flags: "nq"}, "php")
	add(host{operands: 1, code: "fe"}, "awk", "gawk", "mawk", "nawk")
	add(host{operands: 1, code: "fe", flags: "nrEsuz"}, "sed", "gsed")
	add(host{operands: 1, code: "e"}, "osascript", "rscript", "julia")
	add(host{operands: 1, code: "ep", word: true}, "node")
	add(host{operands: 1, values: 2}, "jq", "gojq", "jaq", "yq")
	add(host{operands: 1}, "lua", "luajit", "tclsh", "wish", "guile", "racket", "scheme", "sbcl", "clisp", "elixir", "escript",
		"runghc", "runhaskell", "groovy", "scala", "kotlin", "java", "dotnet", "nodejs", "qjs", "d8",
		"tsx", "ts-node", "swipl", "gosh", "gforth", "newlisp", "janet", "fennel", "jimsh", "texlua", "clojure", "jshell", "groovysh",
		"jrunscript", "hhvm", "gjs", "raku", "iex", "bpython", "ptpython", "bpftrace", "execlineb", "wscript", "cscript", "mshta", "rundll32",
		"regsvr32", "ld.so")
	add(host{operands: 1, word: true}, "ecl", "ccl", "csi", "clj", "jjs", "ocaml", "mono", "wine", "stap", "dtrace", "qemu", "prolog", "gprolog", "yap")
	// The first operand says what to do with the next.
	add(host{operands: 2, word: true}, "deno", "bun")
	// Code may stand anywhere.
	add(host{operands: all}, "pwsh", "powershell", "sqlite", "sqlite3", "psql", "mysql", "mariadb", "redis-cli", "mongosh", "gdb", "lldb",
		"vim", "nvim", "vi", "ex", "ed", "emacs", "gnuplot", "octave", "matlab", "dc", "bc", "m4", "erl", "ghci", "irb",
		"rvim", "gvim", "vimdiff", "emacsclient", "lftp", "socat", "run-parts", "start-stop-daemon")
	add(host{operands: all, word: true}, "r", "expect", "at", "batch", "eval", "source", "make", "gmake", "ninja", "just",
		"convert", "magick", "identify", "mogrify", "composite", "montage", "gm", "view", "service", "invoke-rc.d", "rc", "es",
		"duckdb", "clickhouse", "clickhouse-client", "clickhouse-local", "usql", "sqlplus", "sqlcmd", "cqlsh", "gs", "ghostscript",
		"tex", "latex", "pdftex", "pdflatex", "xetex", "xelatex", "luatex", "lualatex", "latexmk", "maxima", "sage", "scilab", "cmd",
		"gcc", "g++", "cc", "c++", "clang", "clang++", "gfortran", "rustc", "javac", "ghc", "ld", // @file has options, too
		"rclone", "crontab", "logrotate", "soffice", "libreoffice", "xdg-open", "run-mailcap")
}

func addWrappers(add func(host, ...string)) {
	// The first operand is a program.
	add(host{operands: 1, wraps: true, sets: true}, "sudo", "doas")
	add(host{operands: 1, wraps: true, sets: true, word: true}, "env")
	add(host{operands: 1, wraps: true}, "xargs", "nohup", "ionice", "stdbuf", "setsid", "unshare", "nsenter", "strace", "ltrace", "setpriv",
		"prlimit", "systemd-run", "systemd-inhibit", "firejail", "bwrap", "fakeroot", "busybox", "toybox", "linux32", "linux64", "chpst",
		"xvfb-run", "dbus-run-session", "caffeinate", "unbuffer", "catchsegv", "valgrind", "pkexec", "dumb-init", "tini",
		"catatonit", "choom", "numactl", "uclampset", "cgexec", "cpulimit", "trickle", "torsocks", "torify", "proxychains", "tsocks", "eatmydata",
		"fakechroot", "proot", "rlwrap", "chronic", "softlimit", "pexec", "nsjail", "minijail0", "daemonize", "xterm", "xinit", "startx",
		"watchexec", "nodemon", "envchain", "ifne", "lckdo")
	add(host{operands: 1, wraps: true, word: true}, "i386", "x86_64", "kitty", "foot", "runsv", "runsvdir", "s6-svscan", "nice", "time", "exec", "command", "builtin")
	// An operand of its own is before it.
	add(host{operands: 2, wraps: true}, "timeout", "gtimeout", "chroot", "flock", "taskset", "chrt", "setarch",
		"gosu", "su-exec", "setuidgid", "s6-setuidgid", "envdir", "faketime", "logsave", "setlock")
	// Its operands become the text of a command, here or elsewhere.
	add(host{operands: all, wraps: true}, "ssh", "rsh", "mosh", "sshpass", "pssh", "parallel", "su", "runuser", "tmux", "ansible", "gcloud",
		"npx", "bunx", "uvx", "pipx",
		"autossh", "pdsh", "clush", "plink", "dbclient", "newgrp", "capsh", "machinectl", "systemd-nspawn", "lxc-attach",
		"apptainer", "singularity", "sandbox-exec", "konsole", "gnome-terminal", "nix-shell", "mispipe")
	add(host{operands: all, wraps: true, word: true}, "rexec", "rlogin", "dsh", "sg", "runc", "crun", "byobu", "dtach", "abduco", "alacritty",
		"wezterm", "supervisord", "pm2", "foreman", "overmind", "flatpak", "wsl", "rr", "pee", "nix-build", "watch", "script", "screen", "entr")
}

func addBuilders(add func(host, ...string)) {
	// Some of their commands fetch and run what they are told.
	add(host{words: []string{"run", "exec", "create", "debug", "start", "build", "compose", "plugin", "up", "stack", "load", "import",
		"apply", "replace", "patch", "set", "edit", "attach", "config", "install", "upgrade", "repo"}, word: true,
		options: []string{"--kubeconfig", "-H", "--host", "--config", "-f", "--file", "--filename"}},
		"docker", "podman", "nerdctl", "buildah", "crictl", "ctr", "lxc", "kubectl", "oc", "helm", "docker-compose", "podman-compose")
	add(host{words: []string{"run", "test", "tool", "generate", "install", "get", "env"}, word: true}, "go")
	add(host{words: []string{"run", "run-script", "exec", "x", "dlx", "install", "i", "ci", "add", "create", "init", "config", "set"}, word: true,
		options: []string{"--prefix", "-C"}},
		"npm", "pnpm", "yarn", "corepack")
	add(host{words: []string{"install", "download", "wheel", "run", "exec", "add", "config", "tool", "test", "bench"}, word: true,
		options: []string{"-o", "--option", "--manifest-path", "--config"}},
		"pip", "uv", "poetry", "cargo", "gem", "bundle", "brew", "apt", "apt-get", "yum", "dnf", "apk", "snap", "conda", "nix",
		"mamba", "micromamba", "pipenv", "hatch", "pdm", "rye", "guix", "zypper", "pacman", "aptitude", "rustup", "mix", "asdf", "mise", "volta", "fnm",
		"rbenv", "pyenv", "direnv", "doppler", "chamber", "aws-vault", "op", "perf")
	add(host{words: []string{"config", "filter-branch", "bisect", "submodule", "difftool", "mergetool", "archive", "upload-pack", "daemon",
		"send-email"}, word: true,
		options: []string{"-C", "--git-dir", "--work-tree", "--exec-path", "--config", "--config-env", "--template", "-x", "-u"}}, "git")
	add(host{words: []string{"link", "edit", "enable", "reenable", "set-environment", "set-property"}, word: true}, "systemctl")
	add(host{words: []string{"netns", "vrf"}, word: true, options: []string{"-b", "-batch"}}, "ip")
	add(host{words: []string{"extension", "extensions", "ext", "alias", "codespace"}, word: true}, "gh")
	add(host{words: []string{"exec", "watch", "job", "alloc", "run", "agent"}, word: true}, "consul", "nomad", "vault")
	add(host{words: []string{"exec-env", "exec-file"}, word: true}, "sops")
	add(host{words: []string{"engine"}, word: true, options: []string{"-engine", "-provider", "-provider-path", "-config"}}, "openssl")
}

// addOpeners adds what is made to run the files, or the rules in them, that it is told.
func addOpeners(add func(host, ...string)) {
	add(host{operands: all, word: true}, "cmake", "ctest", "meson", "bazel", "buck", "gradle", "gradlew", "mvn", "mvnw", "ant", "sbt", "lein", "rake",
		"cap", "fab", "invoke", "nox", "tox", "scons", "waf", "msbuild", "xcodebuild", "swift", "zig", "nim", "crystal", "stack", "cabal", "grunt",
		"gulp", "jest", "mocha", "vitest", "webpack", "vite", "rollup", "pytest", "nosetests", "rspec", "cucumber", "behave", "robot",
		"ansible-playbook", "ansible-console", "terraform", "tofu", "pulumi", "packer", "vagrant", "puppet", "chef-client", "salt", "salt-call",
		"sphinx-build", "jekyll", "act", "rpmbuild")
}

// addOptions adds programs that treat operands as data, and have options that do not.
func addOptions(add func(host, ...string)) {
	for names, options := range map[string]string{
		"tar gtar bsdtar star":             "-I -F --new-volume-script --rmt-command",
		"scp sftp":                         "-o -S -F -D -b",
		"ssh-keygen ssh-add":               "-D -s -P",
		"curl":                             "-K --config --engine",
		"wget":                             "--config",
		"man":                              "-P -H -C --html --config-file",
		"zip":                              "-TT",
		"nmap":                             "--script --datadir",
		"tcpdump":                          "-z",
		"tshark wireshark":                 "-X",
		"pandoc":                           "-F --filter -L -d --defaults -t --to -f --from -w -r --pdf-engine",
		"split":                            "--filter",
		"rg":                               "--pre",
		"fd fdfind":                        "-x -X",
		"fzf":                              "--bind --preview",
		"nano":                             "-s --speller",
		"hg svn":                           "--config --config-option -R --repository",
		"cvs":                              "-d",
		"restic":                           "-o --option -r --repo",
		"dpkg rpm":                         "-i -U -F --install --upgrade --unpack",
		"eslint prettier babel":            "--config --plugin --rulesdir --resolve-plugins-relative-to",
		"gpg gpg2":                         "--agent-program --pinentry-program --options",
		"exim sendmail":                    "-be -C",
		"nginx httpd apache2 redis-server": "-f",
	} {
		add(host{options: strings.Fields(options), word: true}, strings.Fields(names)...)
	}
}
