// A reverse proxy on loopback that adds a bearer token to each request, and changes nothing else: the conformance suite has
// no way to send one.
import http from 'node:http';

/** Starts a proxy in front of `target`; gives its URL, with the target's path, and how to close it. */
export async function addBearer(target, token) {
  const { hostname, port, pathname } = new URL(target);
  const server = http.createServer((request, response) => {
    const headers = [...request.rawHeaders, 'Authorization', `Bearer ${token}`];
    const options = { hostname, port, path: request.url, method: request.method, headers, setHost: false };
    const onward = http.request(options, answer => {
      response.writeHead(answer.statusCode, answer.rawHeaders);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}${pathname}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
