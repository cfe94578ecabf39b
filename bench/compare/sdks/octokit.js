import { Octokit } from "octokit";

const setup = `import { Octokit, RequestError } from "octokit";
const client = new Octokit({ baseUrl: "https://api.example.com", auth: "t" });`;
const caught = "const error: unknown = await client.rest.users.getAuthenticated().catch((e) => e);";
const codeOf = "(error.response?.data as { code?: string }).code";
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

export const sdk = {
  name: "octokit",
  packages: ["octokit"],
  import: ["octokit", "Octokit"],
  programs: {
    oneCall: `import { Octokit } from "@octokit/core"; console.log(await new Octokit().request("GET /orgs/{org}/repos", { org: "a" }));`,
    everything: `import { Octokit } from "octokit"; console.log(await new Octokit().rest.repos.listForOrg({ org: "a" }));`,
    create: `${setup}\nconst result = await client.rest.repos.createInOrg({ org: "a", name: "shop" });`,
    wrongField: `${setup}\nawait client.rest.repos.createInOrg({ org: "a", name: "shop", descripton: "" });`,
    wrongCode: `${setup}\n${caught}\nif (error instanceof RequestError && ${codeOf} === "gone") throw error;`,
  },
  client: (baseUrl, token, options) => new Octokit({ baseUrl, auth: token, log: quiet, ...options }),
  list: async (client, { signal, ...options } = {}) =>
    (await client.rest.repos.listForOrg({ org: "a", ...(signal && { request: { signal } }), ...options }))
      .data,
  create: async (client, options) =>
    (await client.rest.repos.createInOrg({ org: "a", name: "shop", ...options })).data,
  createOnce: (client) => client.rest.repos.createInOrg({ org: "a", name: "shop" }),
  get: async (client, id, { signal } = {}) =>
    (await client.rest.repos.get({ owner: "a", repo: id, ...(signal && { request: { signal } }) })).data,
  iterate: async function* (client) {
    for await (const { data } of client.paginate.iterator(client.rest.repos.listForOrg, { org: "a" }))
      yield* data;
  },
  page: (ids, next) => ({
    body: ids.map((id) => ({ id })),
    headers: next === undefined ? {} : { link: `<{baseUrl}/orgs/a/repos?cursor=${next}>; rel="next"` },
  }),
  service: () => {
    const names = new Set();
    return {
      respond: ({ body }) => {
        const { name } = JSON.parse(body);
        if (names.has(name)) return { status: 422, body: { message: "Repository creation failed." } };
        names.add(name);
        return { status: 201, body: { id: "p-0", name } };
      },
      created: () => names.size,
    };
  },
  created: { id: "p-0" },
  secret: (value) => ({ token: value, expires_at: "2026-01-01T00:00:00Z" }),
  failure: (code) => ({ message: "It failed.", code }),
  codeOf: (error) => error.code,
  retriesOption: (value) => ({ request: { retries: value } }),
};
