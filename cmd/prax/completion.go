package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

// completer is one place at which a word is completed: a group of commands, or a command with its flags.
type completer struct {
	at    string       // the words that lead to it, each after a blank: " client add"
	names []suggestion // of the commands of a group
	flags []suggestion // of a command
}

// suggestion is a word that fits, and what it stands for.
type suggestion struct {
	word, note string
	takes      bool // of a flag: the next word is its value
}

// shells are the shells that completion knows, each with the writer of its script.
var shells = map[string]func(io.Writer, []completer){"bash": bashScript, "zsh": zshScript, "fish": fishScript}

// completion prints a script that has a shell complete commands and flags. It holds them all, so that no press of a
// key runs prax; names of clients, tools and workflows are not in it.
func (p *program) completion(args []string) error {
	f := p.flags("completion", "bash|zsh|fish", "Prints a script that completes the commands and flags of prax. For this session, or in the shell's own start:\n"+
		"  bash: source <(prax completion bash)\n"+
		"  zsh:  source <(prax completion zsh)\n"+
		"  fish: prax completion fish | source")
	positional, err := f.parse(args, 1, 1)
	if err != nil {
		return err
	}
	write := shells[positional[0]]
	if write == nil {
		return f.usage("there is no completion for %q: it is one of bash, zsh and fish", positional[0])
	}
	write(p.stdout, completers("", commands()))
	return nil
}

// completers lists a table and what is below it.
func completers(at string, table []command) []completer {
	group := completer{at: at}
	all := []completer{{}} // the group itself
	for _, c := range table {
		group.names = append(group.names, suggestion{word: c.name, note: c.summary})
		if below := at + " " + c.name; c.run == nil {
			all = append(all, completers(below, c.sub)...)
		} else {
			all = append(all, completer{at: below, flags: c.flags()})
		}
	}
	all[0] = group
	return all
}

// flags are those that a command takes, as the command itself declares them before it reads its arguments.
func (c command) flags() (list []suggestion) {
	p := &program{stdout: io.Discard, stderr: io.Discard}
	p.declared = func(f *flags) {
		f.VisitAll(func(fl *flag.Flag) {
			_, note := flag.UnquoteUsage(fl)
			alone, isBool := fl.Value.(interface{ IsBoolFlag() bool })
			list = append(list, suggestion{word: "--" + fl.Name, note: note, takes: !isBool || !alone.IsBoolFlag()})
		})
	}
	_ = c.run(p, nil) // ends as soon as it has declared them
	return append(list, suggestion{word: "--help", note: "explain the command"})
}

// quoted is text as one word of a shell, whatever is in it.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// plainWords are the words of suggestions. None has a blank or a sign that means something to a shell.
func plainWords(list []suggestion) string {
	all := make([]string, len(list))
	for i, s := range list {
		all[i] = s.word
	}
	return strings.Join(all, " ")
}

// knownPlaces are the places that a further word may lead to, as patterns of a case.
func knownPlaces(all []completer) string {
	var places []string
	for _, c := range all[1:] { // but for the root
		places = append(places, quoted(c.at))
	}
	return strings.Join(places, " | ")
}

func bashScript(w io.Writer, all []completer) {
	fmt.Fprintf(w, `# Completion of prax for bash: source <(prax completion bash)
_prax() {
  local word=${COMP_WORDS[COMP_CWORD]} at='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at ${COMP_WORDS[i]}" in
      %s) at="$at ${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at" in
`, knownPlaces(all))
	for _, c := range all {
		if c.flags == nil {
			fmt.Fprintf(w, "    %s) COMPREPLY=($(compgen -W %s -- \"$word\")) ;;\n", quoted(c.at), quoted(plainWords(c.names)))
		} else {
			fmt.Fprintf(w, "    %s) [[ $word != -* ]] || COMPREPLY=($(compgen -W %s -- \"$word\")) ;;\n", quoted(c.at), quoted(plainWords(c.flags)))
		}
	}
	fmt.Fprint(w, `  esac
}
complete -o default -F _prax prax
`)
}

func zshScript(w io.Writer, all []completer) {
	fmt.Fprintf(w, `#compdef prax
# Completion of prax for zsh: source <(prax completion zsh), after compinit
_prax() {
  local at='' i
  local -a fits
  for ((i = 2; i < CURRENT; i++)); do
    case "$at ${words[i]}" in
      %s) at="$at ${words[i]}" ;;
    esac
  done
  case "$at" in
`, knownPlaces(all))
	for _, c := range all {
		fmt.Fprintf(w, "    %s)\n", quoted(c.at))
		list := c.names
		if c.flags != nil {
			list = c.flags
			fmt.Fprint(w, "      [[ ${words[CURRENT]} == -* ]] || { _files; return; }\n")
		}
		fmt.Fprint(w, "      fits=(")
		for _, s := range list {
			fmt.Fprintf(w, "\n        %s", quoted(s.word+":"+strings.NewReplacer(`\`, `\\`, ":", `\:`).Replace(s.note)))
		}
		fmt.Fprint(w, ") ;;\n")
	}
	fmt.Fprint(w, `  esac
  _describe -V word fits
}
if [[ ${funcstack[1]} == _prax ]]; then _prax "$@"; else compdef _prax prax; fi
`)
}

func fishScript(w io.Writer, all []completer) {
	fmt.Fprintf(w, `# Completion of prax for fish: prax completion fish | source
function __prax_at
    set -l at ''
    for word in (commandline -opc)[2..]
        switch "$at $word"
            case %s
                set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end
`, strings.ReplaceAll(knownPlaces(all), " | ", " "))
	for _, c := range all {
		for _, s := range c.names {
			fmt.Fprintf(w, "complete -c prax -f -n '__prax_at \"%s\"' -a %s -d %s\n", c.at, s.word, fishQuoted(s.note))
		}
		for _, s := range c.flags {
			value := ""
			if s.takes {
				value = " -r"
			}
			fmt.Fprintf(w, "complete -c prax -n '__prax_at \"%s\"' -l %s%s -d %s\n", c.at, strings.TrimPrefix(s.word, "--"), value, fishQuoted(s.note))
		}
	}
}

// fishQuoted is text as one word of fish, which knows escapes within quotes.
func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
