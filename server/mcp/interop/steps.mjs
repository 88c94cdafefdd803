// What the drivers of the TypeScript clients share: one line a step, and a status that tells whether all went well.
import assert from 'node:assert/strict';

export const endpoint = new URL(process.env.MCP_URL);
export const requestInit = { headers: { Authorization: `Bearer ${process.env.MCP_TOKEN}` } };
const tool = process.env.MCP_TOOL;

// drive runs one connected client through what an agent does. It never throws: a failure is printed and sets the status.
export async function drive(label, client, connect, pings) {
  try {
    const revision = await connect();
    await lists(client);
    await calls(client);
    await refuses(client);
    if (pings) assert.deepEqual(await client.ping(), {}, 'ping');
    await client.close();
    console.log(`  ok    ${label}: ${revision}, list, call, refuse${pings ? ', ping' : ''}, close`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`  FAIL  ${label}: ${String(error?.message ?? error).split('\n')[0]}`);
    await client.close().catch(() => {});
  }
}

async function lists(client) {
  const names = [];
  let cursor;
  do {
    const page = await client.listTools(cursor === undefined ? undefined : { cursor });
    names.push(...page.tools.map((each) => each.name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  assert.ok(names.includes(tool), `${tool} is not listed among ${names}`);
}

async function calls(client) {
  const result = await client.callTool({ name: tool, arguments: {} });
  assert.ok(!result.isError, `call: ${JSON.stringify(result.content)}`);
  assert.equal(result.content[0].type, 'text', 'call: first block');
  assert.ok(result.structuredContent, 'call: no structured content');
}

// What does not exist is refused by a protocol error, which both SDKs throw with its code.
async function refuses(client) {
  const thrown = await client.callTool({ name: 'interop_no_such_tool', arguments: {} }).then(
    (result) => assert.fail(`refuse: an unknown tool answered ${JSON.stringify(result)}`), (error) => error);
  assert.equal(thrown.code, -32602, `refuse: ${thrown.message}`);
}
