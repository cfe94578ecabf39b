import { Stripe } from "stripe";
import { serviceWithKeys } from "../service-with-keys.js";

const setup = `import { Stripe } from "stripe";
const client = new Stripe("t", { host: "api.example.com" });`;
const caught = "const error: unknown = await client.customers.create({}).catch((e) => e);";
const isCode = (code) => `error instanceof Stripe.errors.StripeError && error.code === "${code}"`;

export const sdk = {
  name: "stripe",
  packages: ["stripe"],
  import: ["stripe", "Stripe"],
  programs: {
    oneCall: `import { Stripe } from "stripe"; console.log(await new Stripe("t").customers.list());`,
    everything: `import { Stripe } from "stripe"; console.log(await new Stripe("t").customers.list());`,
    create: `${setup}\nconst result = await client.customers.create({ name: "shop" });`,
    wrongField: `${setup}\nawait client.customers.create({ nmae: "shop" });`,
    wrongCode: `${setup}\n${caught}\nif (${isCode("customer:gone")}) throw error;`,
  },
  client: (baseUrl, token, options) => {
    const { hostname, port } = new URL(baseUrl);
    return new Stripe(token, { protocol: "http", host: hostname, port, ...options });
  },
  list: (client, options) => client.customers.list({}, options),
  create: (client, options) => client.customers.create({ name: "shop" }, options),
  createOnce: (client) => client.customers.create({ name: "shop" }, { idempotencyKey: "shop" }),
  get: (client, id) => client.customers.retrieve(id),
  iterate: (client) => client.customers.list(),
  page: (ids, next) => ({
    body: {
      object: "list",
      url: "/v1/customers",
      data: ids.map((id) => ({ id })),
      has_more: next !== undefined,
    },
  }),
  service: () => serviceWithKeys({ id: "p-0", object: "customer" }),
  created: { id: "p-0", object: "customer" },
  secret: (value) => ({ id: "p-0", object: "payment_intent", client_secret: value }),
  failure: (code) => ({ error: { type: "invalid_request_error", code, message: "It failed." } }),
  codeOf: (error) => error.code,
  retriesOption: (value) => ({ maxNetworkRetries: value }),
  deadline: (client) => client.getApiField("timeout"),
};
