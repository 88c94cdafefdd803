package executor_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"prax/auth"
	"prax/tools/workflow"
)

// line is the configuration of a command line: words, of which X is what a caller says, and ID what the server says.
func line(words string) string {
	var args []string
	fields := strings.Fields(words)
	for _, word := range fields[1:] {
		switch word {
		case "X":
			word = "$.arguments.x"
		case "CTX":
			word = "$.context.x"
		case "IN":
			word = "$.workflow.input.x"
		case "ID":
			word = "$.workflow.id"
		}
		args = append(args, quoted(word))
	}
	return `{'command':` + quoted(fields[0]) + `,'args':[` + strings.Join(args, ",") + `]}`
}

// callerCode are command lines that a caller could have run something by.
const callerCode = `
sh X
sh -c X
sh -c CTX
sh -c IN
/bin/bash -c X
bash -ec X
bash -euxo pipefail -c X
bash -o pipefail X
bash -- X
bash -i X
unknown -c X
unknown --eval X
unknown run --command X
python3 X
python3.12 -c X
/usr/local/bin/python3.12 -m X
python -W ignore X
python -m mod -c X
pypy3 -Ic X
perl -e X
perl -MCPAN -ne X
perl -I lib X
ruby -r json X
ruby -e X
node X
node -e X
node -r mod X
node --require mod X
node18 -p X
php -r X
lua -e 1 X
awk X file
awk -F : X
awk -v a=b X
gawk -f a.awk -f X
sed X
sed -n X
sed -e p -e X
sed -i X file
sed s/a/b/ -f X
jq X
jq --arg a b X
pwsh -Command Get-Date X
sqlite3 file.db X
psql -d db X
make X
env X
env A=B X
env A=B python3 X
env -S bash X
sudo X
sudo -u deploy X
sudo -u deploy bash -c X
doas X
xargs X
xargs -n 1 X
nohup X
nice X
nice -n 5 X
timeout X
timeout 5 X
timeout -k 5 10 X
timeout 5 sh X
timeout 5 node X
chroot /srv X
flock /lock X
flock /lock -c X
watch ls X
ssh host X
ssh X
ssh host -- rm X
parallel rm X
su -c X
busybox sh X
npx X
docker run X
docker exec box ls X
docker run --rm image X
kubectl exec pod -- ls X
kubectl exec pod -- sh -c X
go run X
go install X
npm run X
npm install X
pip install X
git config core.pager X
git -c X
find . -exec X
find . -name a -execdir X
tar -x --to-command X
rsync -e X
mywrapper bash X
mywrapper perl -w X
env mywrapper env X
mywrapper timeout 5 node X
mywrapper sudo -u bob env make X
deno run X
perl -ne code X
perl -i -pe code X
perl -lane code X
/lib64/ld-linux-x86-64.so.2 X
/lib/ld-musl-x86_64.so.1 X
qemu-x86_64 X
vim.basic X
nice ld.so X
service X start
run-parts X
crontab X
go test X
go X ./...
git X
git -C /repo X
git -C X status
git --git-dir X log
git rebase -x X
git clone --config X url
git clone --template X url
git fetch --upload-pack X origin
docker X box
docker -H X ps
docker stack deploy -c f X
docker-compose -f X up
kubectl apply -f X
kubectl --kubeconfig X get pods
helm install name X
npm X
npm --prefix X test
cargo build --manifest-path X
apt-get -o X update
tar -I X -xf file
scp -o X a b
sftp -b X host
rsync --rsync-path X a b
ssh-keygen -D X
curl -K X
tcpdump -z X
openssl engine X
gcc X
gcc -wrapper X
convert X out
magick X out
gs X
socat - X
rclone copy X b
duckdb X
gosu bob X
ip netns exec ns X
envdir d X
proxychains4 X
systemctl link X
terraform apply -var X
ansible-playbook X
pytest X
cmake -P X
gradle X
pandoc --filter X
rg --pre X
sort --compress-program X
split --filter X
soffice X
env FOO=1 posh X
bash-static X
ts-node X`

// callerData are command lines where what is run is written out.
const callerData = `
echo X
echo CTX IN X
git clone -- X
git log --author X
go vet X
ls -l X
find X -name CTX
mkdir -p X
docker restart X
kubectl get node X
kubectl get pods X
sh script.sh X
sh -c code sh X
bash -c code bash X CTX
bash -eu script.sh X
bash -lc code bash X
bash script.sh bash X
bash -c ID
sh ID
bash ID X
python3 tool.py X
python3 -m mod X
python3 -u tool.py X
python3.12 -c code X
perl -MList::Util -e code X
perl tool.pl X
ruby tool.rb X
node tool.js X
node -e code X
php -r code X
awk code X
awk -f a.awk X
sed -e p X
sed s/a/b/ X
sed -n p X
jq .a X
jq .a --arg a X
env A=B git log X
env A=B python3 tool.py X
sudo -u deploy git log X
xargs rm X
timeout 5 git log X
timeout 5 python3 tool.py X
nice git log X
flock /lock git log X
busybox ls X
tar -xf X
make build
ssh host ls
bash -c ls
deno run tool.ts X
mywrapper bash tool.sh X
git --no-pager log X
git clone X
kubectl --context live get pods X
docker -l info restart X
mywrapper convert X
mywrapper service X
kubectl get service X
go build -o X
go vet X
tar -cf file X
curl -d X url
scp X host:dir
systemctl restart X
rsync X dst
grep X file
sort X
zip a X
dpkg -l X
pandoc X
ssh-keygen -f X`

// TestLaw2CallerCode: where a caller could say what is run, the tier is HIGH, whatever the definition declares; where
// the definition wrote out what is run, it is not.
func TestLaw2CallerCode(t *testing.T) {
	t.Parallel()
	for tier, lines := range map[auth.Tier]string{auth.High: callerCode, auth.Low: callerData} {
		for one := range strings.Lines(lines) {
			if one = strings.TrimSpace(one); one == "" {
				continue
			}
			b := &bench{}
			b.connect(t, "box", `{'command':`+quoted(strings.Fields(one)[0])+`}`)
			config := line(one)
			_, args, _ := strings.Cut(config, ",'args'")
			for _, config := range []string{config, `{'connection':'box','args'` + args} {
				if _, got, found := b.check(t, "cli", config); found != nil || got != tier {
					t.Errorf("%s is %v, want %v (%v)", one, got, tier, found)
				}
			}
		}
	}
}

// TestLaw2CallerVariables: so it is where a caller could say from where a program takes its code.
func TestLaw2CallerVariables(t *testing.T) {
	t.Parallel()
	for names, want := range map[string]auth.Tier{
		"LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES PATH IFS ENV BASH_ENV PYTHONPATH PYTHONSTARTUP NODE_OPTIONS PERL5OPT PERL5LIB " +
			"RUBYOPT GIT_SSH_COMMAND GIT_EXTERNAL_DIFF HOME ld_preload EDITOR PAGER GOFLAGS MAKEFLAGS JAVA_TOOL_OPTIONS": auth.High,
		"WHO VERSION MESSAGE MY_PATH PATHS LANG": auth.Low,
	} {
		for name := range strings.FieldsSeq(names) {
			for value, tier := range map[string]auth.Tier{"$.arguments.x": want, "$.context.x": want, "$.workflow.id": auth.Low, "/literal": auth.Low} {
				b := new(bench)
				b.script("test.x", "true\n")
				for kind, config := range map[string]string{"cli": `'command':'true'`, "script": `'subject':'test.x'`} {
					if _, got, found := b.check(t, kind, `{`+config+`,'env':{'`+name+`':'`+value+`'}}`); found != nil || got != tier {
						t.Errorf("%s: %s=%s is %v, want %v (%v)", kind, name, value, got, tier, found)
					}
				}
			}
		}
	}
}

// TestLaw2WrappingNeverLowers: a caller's value that could be run is HIGH behind any program that starts another, and
// what is declared, or what a connection says, only raises the tier.
func TestLaw2WrappingNeverLowers(t *testing.T) {
	t.Parallel()
	wrappers := []string{"env", "env A=B", "sudo", "sudo -u bob", "nice", "nice -n 5", "timeout 5", "nohup", "xargs", "stdbuf -oL", "flock /lock", "unheard-of"}
	code := []string{"sh X", "sh -c X", "python3 -c X", "bash -o pipefail X", "perl -e X", "awk X", "sed -n X"}
	rapid.Check(t, func(rt *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom(wrappers), 0, 4).Draw(rt, "wrappers")
		words = append(words, rapid.SampledFrom(code).Draw(rt, "code"))
		_, tier, found := new(bench).check(t, "cli", line(strings.Join(words, " ")))
		if found != nil || tier != auth.High {
			rt.Fatalf("%v, %v", tier, found)
		}
	})
	b := new(bench)
	b.connect(t, "box", `{'command':'echo'}`)
	b.connections["box"].Tier = auth.Medium
	if _, tier, _ := b.check(t, "cli", `{'connection':'box','args':['hi']}`); tier != auth.Medium {
		t.Errorf("with a connection that is MEDIUM: %v", tier)
	}
	if _, tier, found := b.check(t, "cli", `{'connection':'box','args':['-c','$.arguments.x']}`); tier != auth.High || found != nil {
		t.Errorf("with code: %v, %v", tier, found)
	}
	unknown := workflow.Surroundings{Roots: everywhere}
	spec, _, _ := b.check(t, "cli", `{'connection':'box','args':['-c','$.arguments.x']}`)
	if tier, found := spec.Check(unknown); tier != auth.High || found != nil {
		t.Errorf("where no connection is known: %v, %v", tier, found)
	}
}
