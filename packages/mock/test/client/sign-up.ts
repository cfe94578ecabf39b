import { setupMock } from "@mgmt/mock";
import type { MgmtClient } from "@mgmt/sdk";

export const minute = 60_000;

/** Creates a project, with two refusals, and polls until its database is ready. */
export const signUp = async (client: MgmtClient, options: { pollIntervalMs?: number } = {}) => {
  const { created, resource } = await client.projects.ensure({ name: "shop", logicalId: "shop" });
  if (!created) throw new Error("The project existed already");
  const polls: number[] = [];
  const ready = await client.databases.waitUntilReady(resource.database?.id ?? "", {
    ...options,
    onProgress: (_, { polls: count }) => void polls.push(count),
  });
  return { status: ready.status, polls: polls.length };
};

/** A mock whose next database takes half a minute, and which refuses the first two creates. */
export const busyMock = (options: Parameters<typeof setupMock>[0] = {}) => {
  const mock = setupMock({ ...options, settings: { lifecycle: { provisioning: minute / 2 } } });
  mock.faults.add({ operation: "projects.create", status: 503, times: 2 });
  return mock;
};
