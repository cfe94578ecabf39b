import { OpenAI } from "openai";
import { serviceWithKeys } from "../service-with-keys.js";

const setup = `import { APIError, OpenAI } from "openai";
const client = new OpenAI({ baseURL: "https://api.example.com", apiKey: "t" });`;
const caught = "const error: unknown = await client.vectorStores.create({}).catch((e) => e);";

export const sdk = {
  name: "openai",
  packages: ["openai"],
  import: ["openai", "OpenAI"],
  programs: {
    oneCall: `import { OpenAI } from "openai"; console.log(await new OpenAI({ apiKey: "t" }).vectorStores.list());`,
    everything: `import { OpenAI } from "openai"; console.log(await new OpenAI({ apiKey: "t" }).vectorStores.list());`,
    create: `${setup}\nconst result = await client.vectorStores.create({ name: "shop" });`,
    wrongField: `${setup}\nawait client.vectorStores.create({ nmae: "shop" });`,
    wrongCode: `${setup}\n${caught}\nif (error instanceof APIError && error.code === "store:gone") throw error;`,
  },
  client: (baseUrl, token, options) => new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: token, ...options }),
  list: (client, options) => client.vectorStores.list({}, options),
  create: (client, options) => client.vectorStores.create({ name: "shop" }, options),
  createOnce: (client) => client.vectorStores.create({ name: "shop" }, { idempotencyKey: "shop" }),
  get: (client, id, options) => client.vectorStores.retrieve(id, options),
  iterate: (client) => client.vectorStores.list(),
  page: (ids, next) => ({
    body: { object: "list", data: ids.map((id) => ({ id })), has_more: next !== undefined, last_id: next },
  }),
  service: () => serviceWithKeys({ id: "p-0", object: "vector_store" }),
  created: { id: "p-0", object: "vector_store" },
  secret: (value) => ({ id: "p-0", object: "realtime.client_secret", value, client_secret: { value } }),
  failure: (code) => ({ error: { type: "invalid_request_error", code, message: "It failed." } }),
  codeOf: (error) => error.code,
  retriesOption: (value) => ({ maxRetries: value }),
};
