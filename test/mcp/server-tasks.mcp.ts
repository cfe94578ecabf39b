import { afterAll, beforeAll, expect, it } from "vitest";
import { play } from "./tasks/play.js";
import { tasks } from "./tasks/tasks.js";
import { World } from "./tasks/world.js";

// Some of the tasks that `npm run test:full -- mcp` plays.

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

it.each(tasks.filter(({ isInGate }) => isInGate).map((task) => [task.name, task] as const))("%s", (_, task) =>
  play(task, world),
);

it("has shown no secret in what the clients have seen", () => expect(world.findLeaks()).toEqual([]));
