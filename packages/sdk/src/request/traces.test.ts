import { tracingChannel } from "node:diagnostics_channel";
import { describe, expect, it } from "vitest";
import { type Attempt, type AttemptTrace, type CallTrace, createClient } from "@mgmt/sdk";
import { answering, json, startServer, thrown } from "../../test/server.js";

describe("tracing events", () => {
  it("describe a call and its requests, never a credential or a value", async () => {
    const { baseUrl } = await startServer((_, response, count) =>
      count === 1 ? void response.destroy() : json(response, 200, { data: { id: "p", pass: "hunter2" } }),
    );
    const events: { name: string; context: object }[] = [];
    const listen = (channel: "call" | "attempt") => {
      const tracing = tracingChannel(`@mgmt/sdk:${channel}`);
      const on = (phase: string) => (context: object) =>
        void events.push({ name: `${channel} ${phase}`, context });
      const handlers = {
        start: on("start"),
        end: on("end"),
        asyncStart: on("settled"),
        asyncEnd: on("done"),
        error: on("error"),
      };
      tracing.subscribe(handlers);
      return () => tracing.unsubscribe(handlers);
    };
    const release = [listen("call"), listen("attempt")];
    const client = createClient({ baseUrl, token: "hunter3" });
    const found = await client.projects.get("proj_1");
    for (const each of release) each();
    expect(found).toMatchObject({ id: "p" });
    const names = events
      .map(({ name }) => name)
      .filter((name) => !name.endsWith("end") && !name.endsWith("done"));
    expect(names).toEqual([
      "call start",
      "attempt start",
      "attempt error",
      "attempt settled",
      "attempt start",
      "attempt settled",
      "call settled",
    ]);
    expect(events[0]?.context).toMatchObject({
      method: "GET",
      path: "/v1/projects/{id}",
      attempts: [{ reason: expect.any(String) }, { status: 200 }],
    });
    expect(JSON.stringify(events)).not.toMatch(/hunter/);
  });

  it("include the status of a response when its request ends", async () => {
    const { baseUrl } = await startServer((_, response, count) =>
      count === 1 ? json(response, 502, {}) : json(response, 200, { data: { id: "p" } }),
    );
    const statuses: unknown[] = [];
    const tracing = tracingChannel<unknown, AttemptTrace>("@mgmt/sdk:attempt");
    const handlers = { asyncEnd: ({ attempt }: { attempt: Attempt }) => void statuses.push(attempt.status) };
    const quiet = { start: noop, end: noop, asyncStart: noop, error: noop, ...handlers };
    tracing.subscribe(quiet);
    await createClient({ baseUrl, token: false }).projects.get("proj_1");
    tracing.unsubscribe(quiet);
    expect(statuses).toEqual([502, 200]);
  });

  it("include the error of a call that fails", async () => {
    const { baseUrl } = await answering({}, 500);
    const errors: unknown[] = [];
    const tracing = tracingChannel<unknown, CallTrace>("@mgmt/sdk:call");
    const handlers = { error: ({ error }: { error: unknown }) => void errors.push(error) };
    const quiet = { start: noop, end: noop, asyncStart: noop, asyncEnd: noop, ...handlers };
    tracing.subscribe(quiet);
    const error = await thrown(createClient({ baseUrl, token: false }).me.get());
    tracing.unsubscribe(quiet);
    expect(errors).toEqual([error]);
  });
});

const noop = (): void => undefined;
