// The tests of each test runner. `forms` are the entries of the packages, in the form that the runner loads.
const assert = require("node:assert/strict");
const http = require("node:http");

/** Starts an HTTP proxy that records what it forwards. */
const startProxy = async () => {
  const forwarded = [];
  const proxy = http.createServer((request, response) => {
    forwarded.push(request.url);
    const onward = http.request(
      request.url,
      { method: request.method, headers: request.headers },
      (incoming) => {
        response.writeHead(incoming.statusCode, incoming.headers);
        incoming.pipe(response);
      },
    );
    request.pipe(onward);
  });
  await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const close = () => {
    proxy.closeAllConnections();
    proxy.close();
  };
  return { url: `http://127.0.0.1:${proxy.address().port}`, forwarded, close };
};

exports.defineTests = (test, { sdk, partial, node, auth, mock, server }) => {
  test("calls a mock that intercepts the requests of the process", async () => {
    const tenant = mock.setupMock({ deterministic: "runners" });
    tenant.listen({ onUnhandledRequest: "error" });
    try {
      const options = { baseUrl: tenant.baseUrl, token: () => tenant.tokens.user() };
      const client = sdk.createClient(options);
      const { id } = await client.projects.create({ name: "shop" });
      const error = await client.projects.get("proj_gone").catch((thrown) => thrown);
      assert.ok(error instanceof sdk.ProjectNotFoundError, String(error));
      assert.equal((await client.http.GET("/v1/projects")).data.data[0].id, id);
      const overNode = sdk.createClient({ ...options, transport: node.nodeTransport() });
      assert.equal((await overNode.projects.get(id)).name, "shop");
      const { projects } = partial.createPartialClient({ projects: partial.ProjectsResource }, options);
      assert.equal((await projects.get(id)).name, "shop");
    } finally {
      await tenant.close();
    }
  });

  test("logs in and calls a reference server through a proxy", async () => {
    const running = await server.createServer();
    const proxy = await startProxy();
    const transport = node.nodeTransport({ proxy: proxy.url });
    try {
      const token = await running.engine.tokens.user();
      const client = sdk.createClient({ baseUrl: running.baseUrl, token, transport });
      assert.deepEqual((await client.projects.list()).data, []);
      assert.equal(proxy.forwarded.length, 1);

      const options = { authUrl: running.engine.settings.authUrl, clientId: "itgr_mgmtcommandlineinterface" };
      const { url, attempt } = await auth.startLogin({
        ...options,
        redirectUri: "http://127.0.0.1/callback",
      });
      const { redirect } = await running.engine.oauth.consent({ url });
      const credential = await auth.finishLogin({ ...options, attempt, callback: redirect });
      assert.equal(typeof credential.accessToken, "string");
    } finally {
      transport.close();
      proxy.close();
      await running.close();
    }
  });
};
