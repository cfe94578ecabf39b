// Runs on any runtime. Uses the SDK with a reference server, and throws at the first unexpected result.

/**
 * @param {typeof import("@mgmt/sdk")} sdk
 * @param {{ baseUrl: string, token: string, transport?: import("@mgmt/sdk").Transport }} server
 */
export const useClient = async (sdk, { baseUrl, token, transport }) => {
  const client = sdk.createClient({ baseUrl, token, transport });
  const mark = `smoke-${Math.random().toString(36).slice(2)}`;

  const made = [];
  for (const part of ["a", "b", "c", "d", "e"]) {
    const project = await client.projects.create({ name: `${mark}-${part}`, createDatabase: false });
    made.push(project.id);
  }
  const walked = [];
  for await (const { id, name } of client.projects.list({ limit: 2 }))
    if (name.startsWith(mark)) walked.push(id);
  same(walked, made, "a walk through the pages finds all, in order");
  for await (const { data } of client.projects.list({ limit: 2 }).pages()) {
    same(data.length <= 2, true, "no page is longer than was asked for");
  }

  const [first = ""] = made;
  const renamed = await client.projects.update(first, { name: `${mark}-z` });
  same(renamed.name, `${mark}-z`, "an update returns what it changed");
  const database = await client.databases.create({ projectId: first, name: "main" });
  const ready = await client.databases.waitUntilReady(database.id, { timeoutMs: 10_000 });
  same(ready.status, "ready", "a database becomes ready");
  const { data } = await client.http.GET("/v1/regions/postgres");
  same(data?.data.length, 6, "the typed path client returns the list");

  const gone = await thrown(client.projects.get("proj_gone"));
  for (const kind of [sdk.ProjectNotFoundError, sdk.NotFoundError, sdk.ApiError, sdk.MgmtError, Error]) {
    same(gone instanceof kind, true, `the error is a ${kind.name}`);
  }
  same(sdk.isApiError(gone, "project:not_found"), true, "the error is told by its code");
  same([gone.status, typeof gone.requestId], [404, "string"], "the error says its status and request");

  // The test makes the reference server slow there.
  const controller = new AbortController();
  const reason = new Error("The user left.");
  const aborted = thrown(client.me.get({ signal: controller.signal }));
  setTimeout(() => controller.abort(reason), 20);
  same((await aborted) === reason, true, "an aborted call throws the caller's reason");
  const late = await thrown(client.me.get({ timeoutMs: 50 }));
  same(late instanceof sdk.TimeoutError, true, `a deadline is kept: ${String(late)}`);
  same(late.code, "connection:timeout", "the deadline's error has its code");
};

/**
 * @param {typeof import("@mgmt/sdk")} sdk
 * @param {typeof import("@mgmt/sdk/auth")} auth
 * @param {{ baseUrl: string, authUrl: string, clientId: string, helper: string, transport?: import("@mgmt/sdk").Transport }} server
 */
export const logIn = async (sdk, auth, { baseUrl, authUrl, clientId, helper, transport }) => {
  const options = { authUrl, clientId, transport };
  const { url, attempt } = await auth.startLogin({ ...options, redirectUri: "http://127.0.0.1/callback" });
  // The test allows the login as the user.
  const consented = await fetch(`${helper}/consent`, { method: "POST", body: url });
  const credential = await auth.finishLogin({ ...options, attempt, callback: await consented.text() });
  const store = auth.memoryStore({ ...credential, expiresAt: Date.now() - 1 });
  const { token, settled } = auth.createAuthenticator({ ...options, store });
  const client = sdk.createClient({ baseUrl, token, transport });
  await client.projects.list({ limit: 1 });
  await settled();
  const kept = await store.read();
  same(kept?.accessToken !== credential.accessToken, true, "a login that has ended is refreshed");
  const refused = await thrown(
    auth.finishLogin({ ...options, attempt, callback: "http://127.0.0.1/callback?state=x" }),
  );
  same(refused instanceof auth.AuthError, true, "a callback of another login is refused");
};

const same = (found, expected, words) => {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`Not so: ${words} (${a}, not ${b})`);
};

const thrown = async (call) => {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error("Nothing was thrown");
};
