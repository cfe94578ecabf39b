import { afterAll, beforeAll, expect, it } from "vitest";
import { RawClient } from "./raw-client.js";
import { play } from "./tasks/play.js";
import { tasks } from "./tasks/tasks.js";
import { World } from "./tasks/world.js";

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

it("has at least 40 tasks", () => expect(tasks.length).toBeGreaterThanOrEqual(40));

it.each(tasks.map((task) => [task.name, task] as const))("%s", (_, task) => play(task, world));

it("has shown no secret in what the clients have seen", () => {
  expect([...world.canaries.kinds]).toEqual(expect.arrayContaining(["password", "token", "control secret"]));
  expect(world.evidence.length).toBeGreaterThan(tasks.length);
  expect(world.findLeaks()).toEqual([]);
});

it("would have seen a secret, which the server leaves out of its answer", async () => {
  const password = world.canaries.all().find(({ kind }) => kind === "password")?.value ?? "";
  const [{ id }] = (await world.list("/v1/databases")) as [{ id: string }];
  const setup = { cwd: world.makeFolder(), env: world.env, flags: ["--profile", "agent"] };
  const client = await RawClient.start(setup, world.record);
  await client.call("query", { databaseId: id, sql: `SELECT '${password}' AS a` });
  await client.kill();
  expect(new Set(world.findLeaks().map(({ where }) => where))).toEqual(new Set(["stdin"]));
});
