import type { MgmtClient } from "@mgmt/sdk";
import { Hono } from "hono";
import { errorResponseOf } from "./error-response.js";
import type { Metrics } from "./metrics.js";
import type { SecretStore } from "./secret-store.js";
import { findDatabase, restore, rotate, signUp } from "./customers.js";

/** What the app uses. */
export interface Services {
  readonly client: MgmtClient;
  readonly secrets: SecretStore;
  readonly metrics: Metrics;
}

/** A backend that gives each of its customers a database. Its responses contain no secrets. */
export const createApp = ({ client, secrets, metrics }: Services): Hono => {
  const app = new Hono();

  app.put("/customers/:customer", async (context) => {
    // The signal is aborted when the caller disconnects, which ends the calls and the wait.
    const call = { client, secrets, signal: context.req.raw.signal };
    const { created, ...database } = await signUp(context.req.param("customer"), call);
    return context.json(database, created ? 201 : 200);
  });

  app.get("/customers/:customer", async (context) => {
    const database = await findDatabase(context.req.param("customer"), {
      client,
      signal: context.req.raw.signal,
    });
    return database ? context.json(database) : context.notFound();
  });

  app.post("/customers/:customer/rotate", async (context) => {
    const customer = context.req.param("customer");
    if (!secrets.has(customer)) return context.notFound();
    await rotate(customer, { client, secrets, signal: context.req.raw.signal });
    return context.body(null, 204);
  });

  app.post("/customers/:customer/restore", async (context) => {
    const call = { client, signal: context.req.raw.signal };
    const database = await findDatabase(context.req.param("customer"), call);
    const restored = database && (await restore(database.id, call));
    return restored ? context.json(restored) : context.notFound();
  });

  app.get("/metrics", (context) => context.text(metrics.toString()));

  app.onError((error, context) => {
    const { status, body, headers } = errorResponseOf(error);
    return context.json(body, status, headers);
  });
  return app;
};
