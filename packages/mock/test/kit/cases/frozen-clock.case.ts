import { createClient } from "@mgmt/sdk";
import { type TestTenant, createTest } from "@mgmt/mock/vitest";

const test = createTest({ deterministic: "shop" });

/** Polls a database without an end that the clock would bring. */
const poll = async ({ baseUrl, tokens }: Pick<TestTenant, "baseUrl" | "tokens">, times: number) => {
  const client = createClient({ baseUrl, token: () => tokens.user() });
  const { database } = await client.projects.create({ name: "shop" });
  for (let polls = 0; polls < times; polls += 1) await client.databases.get(database?.id ?? "");
  return client;
};

test("gives up a poll of its own mock", async ({ mock }) => {
  await poll(mock, 4);
  throw new Error("It took too long");
});
test("gives up a poll of the shared mock", async ({ tenant }) => {
  await poll(tenant, 3);
  throw new Error("It took too long");
});
test("reads a database twice", async ({ mock }) => {
  await poll(mock, 2);
  throw new Error("It fails");
});
test("reads something else at the end", async ({ mock }) => {
  const client = await poll(mock, 5);
  await client.me.get();
  throw new Error("It fails");
});
test("polls while the clock runs", async ({ mock }) => {
  mock.clock.run();
  await poll(mock, 5);
  throw new Error("It fails");
});
