import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { call, finalStatus, query } from "../../packages/platform/test/api.js";
import type { Ready } from "../../packages/platform/src/start/ready.js";
import { type DevProcess, startDev } from "./dev-process.js";
import { newWorkspace } from "./workspaces.js";

let dev: DevProcess;
beforeAll(async () => {
  dev = await startDev();
});
afterAll(() => dev.stop());

const settings = { note: "x".repeat(500_000) };
const floods: Record<string, (attacker: Ready) => Promise<unknown>> = {
  "creates databases": (attacker) => call(attacker, "POST", "/v1/projects", { name: "flood" }),
  "lists all that it has": (attacker) => call(attacker, "GET", "/v1/projects?limit=1000"),
  "stores large settings": (attacker) =>
    call(attacker, "POST", "/v1/projects", { name: "flood", createDatabase: false, settings }),
  "sends large requests with an invalid token": (attacker) =>
    call({ ...attacker, token: "invalid" }, "POST", "/v1/projects", { name: "flood", settings }),
};

it.each(Object.entries(floods))(
  "a workspace that %s without a pause does not keep another from working",
  async (name, attack) => {
    const [attacker, victim] = [await newWorkspace(dev.ready), await newWorkspace(dev.ready)];
    let answered = 0;
    let isOver = false;
    const keepAttacking = async (): Promise<void> => {
      while (!isOver) {
        await attack(attacker).catch((error: unknown) => {
          if (!name.includes("invalid")) throw error;
        });
        answered += 1;
      }
    };
    const attacks = Promise.all(Array.from({ length: 20 }, keepAttacking));
    try {
      const work = async (): Promise<void> => {
        // The control: the service works for the attacker.
        await vi.waitFor(() => expect(answered).toBeGreaterThan(0), { timeout: 120_000, interval: 10 });
        await call(victim, "GET", "/v1/projects");
        const { database } = await call(victim, "POST", "/v1/projects", { name: "shop" });
        expect(await finalStatus(victim, database.id)).toBe("ready");
        expect(await query(database.connectionString, "select 1 as one")).toEqual([{ one: 1 }]);
      };
      await Promise.race([work(), attacks]);
    } finally {
      isOver = true;
      await attacks;
    }
  },
);
