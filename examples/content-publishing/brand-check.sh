# Says which words of the text in $DRAFT we avoid, each once, as JSON: {"avoid":["cheap","synergy"]}
test -s words-we-avoid.txt || exit 1 # without the list nothing can be said
words=$(printf '%s\n' "$DRAFT" | grep -o -i -w -F -f words-we-avoid.txt | tr '[:upper:]' '[:lower:]' | sort -u | sed 's/.*/"&"/' | paste -s -d , -)
printf '{"avoid":[%s]}\n' "$words"
