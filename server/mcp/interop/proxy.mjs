// A proxy on loopback that adds the bearer token, because the suite cannot send a header of ours.
//
//   node proxy.mjs URL        MCP_TOKEN in the environment; prints the port once it listens
//
// The suite judges what is on the wire, so everything else passes as it came: the case and order of headers, bytes as
// they arrive, an end of either side. Only a Host or Origin that names this proxy is turned into the server's own;
// a foreign one, which is what a DNS-rebinding check sends, goes through.
import http from 'node:http';

const server = new URL(process.argv[2]);
const credential = `Bearer ${process.env.MCP_TOKEN}`;
const ownToConnection = /^(connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;

// pairs turns [name, value, name, value] into pairs without the headers that belong to one connection.
function pairs(raw) {
  const list = [];
  for (let i = 0; i < raw.length; i += 2) if (!ownToConnection.test(raw[i])) list.push([raw[i], raw[i + 1]]);
  return list;
}

function translated([name, value], here) {
  if (/^host$/i.test(name) && here.has(value)) return [name, server.host];
  if (/^origin$/i.test(name) && here.has(value.replace(/^http:\/\//, ''))) return [name, server.origin];
  return [name, value];
}

function forward(request, response) {
  const { port } = listener.address();
  const here = new Set([`127.0.0.1:${port}`, `localhost:${port}`]);
  const headers = pairs(request.rawHeaders).map((pair) => translated(pair, here));
  if (!request.headers.authorization) headers.push(['Authorization', credential]);
  if (request.headers['transfer-encoding']) headers.push(['Transfer-Encoding', 'chunked']);
  const out = http.request({
    hostname: server.hostname, port: server.port, method: request.method, path: request.url,
    headers: headers.flat(), setHost: false, agent: false,
  });
  out.on('response', (answer) => {
    response.writeHead(answer.statusCode, pairs(answer.rawHeaders).flat());
    response.flushHeaders();
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  out.on('error', (error) => {
    if (response.headersSent) return response.destroy();
    response.writeHead(502, { 'Content-Type': 'text/plain' }).end(`proxy: ${error.message}`);
  });
  response.on('close', () => out.destroy());
  request.pipe(out);
}

const listener = http.createServer(forward);
listener.requestTimeout = 0;
listener.listen(0, '127.0.0.1', () => console.log(listener.address().port));
