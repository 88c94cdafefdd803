// Two official TypeScript clients, an agent's and its person's, start, drive and finish a workflow with a gate of a person.
// Every call but the first copies a link of the last answer: nothing of the workflow is known here but what to fill in.
import assert from 'node:assert/strict';
import { Client as First } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { endpoint } from './steps.mjs';

const bearer = (token) => ({ requestInit: { headers: { Authorization: `Bearer ${token}` } } });
const agent = new Client({ name: 'interop-agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
const person = new First({ name: 'interop-person', version: '1' });

async function call(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent, `${name}: text and structured content differ`);
  return result.structuredContent;
}

// follow sends a link as it stands, but for what is filled in.
function follow(client, link, filled) {
  assert.ok(link && !link.blocked, `no link to follow: ${JSON.stringify(link)}`);
  return call(client, link.method, filled ? { ...link.args, ...filled } : link.args);
}

function link(answer, rel) {
  const found = answer.links.find((each) => each.rel === rel);
  assert.ok(found, `no link ${rel} among ${answer.links.map((each) => each.rel)}`);
  return found;
}

const stands = ({ workflow, result }, state, version, status) =>
  assert.deepEqual([workflow.state, workflow.version, result.status], [state, version, status]);

async function drive() {
  const home = await call(agent, 'praxec.query', {});
  const list = await follow(agent, link(home, 'list_workflows'));
  const offered = list.items.find(({ item }) => item.id === 'release').item.links.find(({ rel }) => rel === 'start');
  let answer = await follow(agent, offered);
  stands(answer, 'draft', 1, 'started');
  answer = await follow(agent, link(answer, 'propose'), { arguments: { version: '1.4' } });
  stands(answer, 'review', 2, 'executed');
  const parked = await follow(agent, link(answer, 'ship'));
  stands(parked, 'review', 3, 'waiting_for_action');
  assert.equal(parked.pending_human.resolve.blocked.code, 'ACTOR_MISMATCH', 'an agent may answer for its person');
  const asked = parked.links.map((each) => each.rel);

  const waiting = await call(person, 'praxec.query', { approvals: true });
  const gate = waiting.pending.find((each) => each.workflow_id === parked.workflow.id);
  assert.equal(gate.approval.digest, parked.pending_human.approval.digest, 'the person is shown something else');
  stands(await follow(person, gate.resolve), 'shipped', 4, 'executed');

  // What the agent holds is old: the refusal changes nothing, and hands over the links that count now.
  const stale = await follow(agent, link(parked, asked[0]));
  stands(stale, 'shipped', 4, 'rejected');
  answer = await follow(agent, link(stale, 'announce'));
  stands(answer, 'done', 5, 'completed');
  assert.deepEqual(answer.links, [], 'a workflow that is over has links');
  assert.deepEqual(answer.context, { version: '1.4' });
}

try {
  await agent.connect(new StreamableHTTPClientTransport(endpoint, bearer(process.env.AGENT_TOKEN)));
  await person.connect(new FirstTransport(endpoint, bearer(process.env.PERSON_TOKEN)));
  await drive();
  console.log('  ok    workflows: start, propose, a person approves, announce: only by links');
} catch (error) {
  process.exitCode = 1;
  console.log(`  FAIL  workflows: ${String(error?.message ?? error)}`);
} finally {
  await Promise.allSettled([agent.close(), person.close()]);
}
