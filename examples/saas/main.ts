import { serve } from "@hono/node-server";
import { createClient } from "@mgmt/sdk";
import { createApp } from "./app.js";
import { Metrics } from "./metrics.js";
import { SecretStore } from "./secret-store.js";

const metrics = new Metrics();
const client = createClient({ middleware: [metrics.middleware] }); // uses MGMT_BASE_URL and MGMT_TOKEN
const app = createApp({ client, metrics, secrets: new SecretStore() });

const port = Number(process.env["PORT"] ?? 3000);
serve({ fetch: app.fetch, hostname: "127.0.0.1", port }, () => {
  console.log(`Listening on http://127.0.0.1:${String(port)}`);
});
