// Drives the two official TypeScript SDKs: the first speaks the initialize era only, the second all three ways.
import assert from 'node:assert/strict';
import { Client as First } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { drive, endpoint, requestInit } from './steps.mjs';

const me = { name: 'interop-typescript', version: '1' };

const first = new First(me);
await drive('sdk, initialize', first, async () => {
  const transport = new FirstTransport(endpoint, { requestInit });
  await first.connect(transport);
  assert.equal(transport.sessionId, undefined, 'a session of a server that keeps none');
  return transport.protocolVersion;
}, true);

// mode: how the client finds out; then the revision that it must come to.
const ways = [[{ pin: '2026-07-28' }, '2026-07-28'], ['auto', '2026-07-28'], ['legacy', '2025-11-25']];
for (const [mode, revision] of ways) {
  const client = new Client(me, { versionNegotiation: { mode } });
  await drive(`client, ${mode.pin ? 'pinned' : mode}`, client, async () => {
    await client.connect(new StreamableHTTPClientTransport(endpoint, { requestInit }));
    assert.equal(client.getNegotiatedProtocolVersion(), revision, 'negotiated revision');
    return revision;
  }, mode === 'legacy');
}
