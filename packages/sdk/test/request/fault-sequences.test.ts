import fc from "fast-check";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import { MgmtError, type MgmtClient, createClient } from "@mgmt/sdk";
import { nodeTransport } from "@mgmt/sdk/node";

type Engine = RunningServer["engine"];
type Fault = Parameters<Engine["faults"]["add"]>[0];
type WorkName = (typeof workNames)[number];

const workNames = ["list", "create", "ensure", "update", "delete"] as const;

const timeoutMs = 600;

// Without pauses, which are not the subject of this test.
beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));

const faults: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ latency: fc.constantFrom(1, 5, 20, 60_000) }),
  fc.record({ drop: fc.constantFrom("before", "after", "midway") }),
  fc.record({ status: fc.constantFrom(429, 500, 502, 503, 504) }),
  fc.record({ status: fc.constantFrom(200, 403, 404, 502), body: fc.constant("<h1>Who are you?</h1>") }),
  fc.record({ status: fc.constantFrom(200, 201), body: fc.constant('{"data":{"id":"proj') }),
);

/** A call, and what it must have done and returned. */
interface Work {
  /** Returns the ID of the project, or the name or logical ID of the one to create. */
  prepare: () => Promise<string>;
  call: (client: MgmtClient, id: string, maxRetryAfterMs: number) => PromiseLike<unknown>;
  /** How many times the call took effect. */
  done: (id: string) => number;
  /** IDs that a returned page must have. */
  listed?: (id: string) => string[];
}
const worksOn = (engine: Engine): Record<WorkName, Work> => {
  const projects = () => engine.rows.projects.list({});
  const prepare = async (): Promise<string> => (await engine.seed.project({ name: "before" })).id;
  // On a busy machine, the server may carry out a request only after its call has timed out and the next one has begun.
  let calls = 0;
  const prepareNew = (): Promise<string> => Promise.resolve(`new-${String((calls += 1))}`);
  return {
    list: {
      prepare,
      call: (client, _, maxRetryAfterMs) => client.projects.list({}, { timeoutMs, maxRetryAfterMs }),
      done: () => projects().length,
      listed: (id) => [id],
    },
    create: {
      prepare: prepareNew,
      call: (client, name, maxRetryAfterMs) =>
        client.projects.create({ name }, { timeoutMs, maxRetryAfterMs }),
      done: (created) => projects().filter(({ name }) => name === created).length,
    },
    ensure: {
      prepare: prepareNew,
      call: (client, logicalId, maxRetryAfterMs) =>
        client.projects.ensure({ logicalId }, { timeoutMs, maxRetryAfterMs }),
      done: (ensured) => projects().filter(({ logicalId }) => logicalId === ensured).length,
    },
    update: {
      prepare,
      call: (client, id, maxRetryAfterMs) =>
        client.projects.update(id, { name: "after" }, { timeoutMs, maxRetryAfterMs }),
      done: () => projects().filter(({ name }) => name === "after").length,
    },
    delete: {
      prepare,
      call: (client, id, maxRetryAfterMs) => client.projects.delete(id, { timeoutMs, maxRetryAfterMs }),
      done: (id) => (projects().filter((project) => project.id === id).length === 0 ? 1 : 0),
    },
  };
};

// The calls spend most of their time waiting for their deadline.
describe.concurrent.each(["fetch", "nodeTransport"] as const)(
  "a call to a faulty service (%s)",
  (carrier) => {
    it.each(workNames)(
      "returns a value or throws one typed error before its deadline, and takes effect at most once: %s",
      async (name) => {
        const server = await createServer();
        onTestFinished(() => server.close(0));
        const transport = carrier === "fetch" ? undefined : nodeTransport();
        const work = worksOn(server.engine)[name];
        const ends = { value: 0, error: 0 };
        await fc.assert(
          fc.asyncProperty(
            fc.array(faults, { maxLength: 5 }),
            fc.constantFrom(0, 60_000),
            async (sequence, maxRetryAfterMs) => {
              await server.engine.reset();
              const token = await server.engine.tokens.user();
              const client = createClient({ baseUrl: server.baseUrl, token, transport });
              const id = await work.prepare();
              for (const fault of sequence) server.engine.faults.add({ ...fault, times: 1 });

              const start = performance.now();
              const end = await Promise.resolve(work.call(client, id, maxRetryAfterMs)).then(
                (value) => ({ value }),
                (error: unknown) => ({ error }),
              );
              // Well below the latency of a slow response, so that a busy machine does not matter.
              expect(performance.now() - start).toBeLessThan(timeoutMs + 20_000);
              server.engine.faults.clear();

              const done = work.done(id);
              expect(done).toBeLessThanOrEqual(1);
              if ("value" in end) {
                ends.value += 1;
                expect(done).toBe(1);
                if (work.listed)
                  expect(end.value).toMatchObject({ data: work.listed(id).map((each) => ({ id: each })) });
              } else {
                ends.error += 1;
                expect(end.error).toBeInstanceOf(MgmtError);
                expect((end.error as MgmtError).code).toMatch(/^[a-z_]+(:[a-z0-9_]+)?$/);
                expect((end.error as MgmtError).attempts?.length).toBeGreaterThanOrEqual(1);
              }
            },
          ),
          { numRuns: 30, seed: 20_19, endOnFailure: false },
        );
        expect(ends.value).toBeGreaterThan(5);
        expect(ends.error).toBeGreaterThan(5);
      },
    );
  },
);
