// Runs the snippets of docs/clients.md as they stand, each with the client that it is for, against the server at
// MCP_URL. Only the address is another one, and the token where the document has to show one.
//
//   node documented.mjs DIRECTORY      clients/ below it is for what they keep; python/NAME are environments of Python
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const here = path.dirname(fileURLToPath(import.meta.url));
const out = path.resolve(process.argv[2]);
const modules = path.join(here, 'node_modules');
const { MCP_URL: url, MCP_TOKEN: token, MCP_TOOL: tool } = process.env;
const document = fs.readFileSync(path.join(here, '../../../docs/clients.md'), 'utf8');
const called = 'memory_recall'; // what the snippets call

// snippet is one block of the document, for this server.
function snippet(name) {
  const block = document.match(new RegExp(`<!-- snippet: ${name} -->\n\`\`\`[a-z]+\n([^]*?)\`\`\`\n`));
  assert.ok(block, `docs/clients.md has no snippet ${name}`);
  assert.ok(block[1].includes('http://127.0.0.1:8808/mcp'), `${name} does not show the default address`);
  return block[1].replaceAll('http://127.0.0.1:8808/mcp', url).replaceAll('prx_…', token);
}

// home is an empty directory for a client, and the whole environment that it gets: nothing of who runs this.
function home(name) {
  const cwd = path.join(out, 'clients', name);
  fs.rmSync(cwd, { recursive: true, force: true });
  fs.mkdirSync(cwd, { recursive: true });
  const env = {
    HOME: cwd, PATH: process.env.PATH, PRAX_TOKEN: token,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1',
  };
  return { cwd, env, timeout: 60_000, encoding: 'utf8' };
}

function run(command, args, options) {
  const { status, signal, error, stdout, stderr } = spawnSync(command, args, options);
  assert.ok(status === 0, `${path.basename(command)} ended with ${error ?? signal ?? status}: ${stderr || stdout}`);
  return stdout;
}

// printed judges what the snippets in a language of programs print: the tools, then an answer.
function printed(text, answer) {
  const lines = text.trimEnd().split('\n');
  for (const name of [tool, called]) assert.ok(lines.includes(name), `${name} is not among ${lines}`);
  assert.match(lines.at(-1), answer);
  return `${lines.length - 1} tools, call`;
}

function python(name, answer) {
  const options = home(name);
  fs.writeFileSync(path.join(options.cwd, 'snippet.py'), snippet(name));
  return printed(run(path.join(out, 'python', name, 'bin/python'), ['snippet.py'], options), answer);
}

function typescript() {
  const options = home('typescript');
  fs.symlinkSync(modules, path.join(options.cwd, 'node_modules'));
  fs.writeFileSync(path.join(options.cwd, 'snippet.mjs'), snippet('typescript'));
  return printed(run(process.execPath, ['snippet.mjs'], options), /^false \{.*count: 0/);
}

// claudeDesktop starts what the configuration says, as the application does. The package is the one that npx would
// fetch, of the same version.
async function claudeDesktop() {
  const options = home('claude-desktop');
  const { command, args, env } = JSON.parse(snippet('claude-desktop')).mcpServers.prax;
  const { version } = JSON.parse(fs.readFileSync(path.join(modules, 'mcp-remote/package.json')));
  assert.deepEqual([command, ...args.slice(0, 2)], ['npx', '-y', `mcp-remote@${version}`]);
  const client = new Client({ name: 'interop-desktop', version: '1' });
  await client.connect(new StdioClientTransport({
    command: process.execPath, args: [path.join(modules, '.bin/mcp-remote'), ...args.slice(2)],
    cwd: options.cwd, env: { ...options.env, ...env }, stderr: 'ignore',
  }), { timeout: options.timeout });
  const { tools } = await client.listTools();
  const result = await client.callTool({ name: called, arguments: { query: 'coffee' } });
  await client.close();
  assert.equal(result.structuredContent?.count, 0);
  return `${tools.length} tools, call`;
}

// claudeCode connects when it lists its servers, with no account and no model. The first list is of the server that
// the command added, the second of the project's file, which a person has approved.
function claudeCode(name) {
  const claude = path.join(modules, '@anthropic-ai/claude-code-linux-x64/claude');
  if (!fs.existsSync(claude)) return undefined;
  const options = home(name);
  options.env.PATH = `${path.join(options.cwd, 'bin')}:${options.env.PATH}`;
  fs.mkdirSync(path.join(options.cwd, 'bin'));
  fs.symlinkSync(claude, path.join(options.cwd, 'bin/claude'));
  if (name === 'claude-code-add') {
    run('sh', ['-eu', '-c', snippet(name)], options);
    const kept = fs.readFileSync(path.join(options.cwd, '.claude.json'), 'utf8');
    assert.ok(kept.includes('Bearer ${PRAX_TOKEN}') && !kept.includes(token), 'the token is in its configuration');
  } else {
    const trusted = { projects: { [fs.realpathSync(options.cwd)]: { hasTrustDialogAccepted: true } } };
    fs.writeFileSync(path.join(options.cwd, '.claude.json'), JSON.stringify(trusted));
    fs.mkdirSync(path.join(options.cwd, '.claude'));
    fs.writeFileSync(path.join(options.cwd, '.claude/settings.json'), '{"enableAllProjectMcpServers":true}');
    fs.writeFileSync(path.join(options.cwd, '.mcp.json'), snippet(name));
  }
  assert.match(run(claude, ['mcp', 'list'], options), /^prax: .* Connected$/m);
  options.env.PRAX_TOKEN = 'prx_wrong';
  assert.match(run(claude, ['mcp', 'list'], options), /^prax: .*(Failed|Needs)/m);
  return 'connected; not with another token';
}

// codex adds the server as the document says, finds what the document shows in its file, and lists the tools through
// the interface that editors use.
async function codex() {
  const command = path.join(modules, 'codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex');
  if (!fs.existsSync(command)) return undefined;
  const options = home('codex');
  options.env.PATH = `${path.dirname(command)}:${options.env.PATH}`;
  run('sh', ['-eu', '-c', snippet('codex-add')], options);
  assert.equal(fs.readFileSync(path.join(options.cwd, '.codex/config.toml'), 'utf8'), snippet('codex'));
  const server = spawn(command, ['app-server'], { cwd: options.cwd, env: options.env, stdio: ['pipe', 'pipe', 'ignore'] });
  const late = setTimeout(() => server.kill('SIGKILL'), options.timeout);
  try {
    const tools = Object.keys((await codexStatus(server)).tools);
    for (const name of [tool, called]) assert.ok(tools.includes(name), `${name} is not among ${tools}`);
    return `${tools.length} tools`;
  } finally {
    clearTimeout(late);
    server.kill();
  }
}

async function codexStatus(server) {
  const send = (message) => server.stdin.write(`${JSON.stringify(message)}\n`);
  send({ id: 1, method: 'initialize', params: { clientInfo: { name: 'interop', version: '1' } } });
  for await (const line of readline.createInterface({ input: server.stdout })) {
    const { id, result } = JSON.parse(line);
    if (id === 1) {
      send({ method: 'initialized' });
      send({ id: 2, method: 'mcpServerStatus/list', params: {} });
    }
    if (id === 2) return result.data.find((each) => each.name === 'prax');
  }
  assert.fail('codex ended without an answer');
}

const clients = {
  'python': () => python('python', /^False \{.*'count': 0/),
  'langchain': () => python('langchain', /'text': 'No relevant memories/),
  'typescript': typescript,
  'claude-desktop': claudeDesktop,
  'claude-code-add': () => claudeCode('claude-code-add'),
  'claude-code-project': () => claudeCode('claude-code-project'),
  'codex-add': codex, // and what it writes: 'codex'
};

for (const [name, drive] of Object.entries(clients)) {
  try {
    const said = await drive();
    console.log(said === undefined ? `  skip  ${name}: npm had no package of it for this machine` : `  ok    ${name}: ${said}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`  FAIL  ${name}: ${String(error?.message ?? error).slice(0, 600)}`);
  }
}
