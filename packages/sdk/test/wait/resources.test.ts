import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadContract } from "../../../../scripts/generate/contract/contract.js";
import { generateResources } from "../../../../scripts/generate/sdk/resources.js";
import { AgentApprovalsOperations } from "../../src/resources/generated/agent-approvals.js";
import { DatabasesOperations } from "../../src/resources/generated/databases.js";
import { DeploymentsOperations } from "../../src/resources/generated/deployments.js";
import { setupWorld } from "./server.js";

const world = setupWorld();

describe("a resource with hand-written methods", () => {
  it("has the generated methods too", () => {
    expect(world.agent.agentApprovals).toBeInstanceOf(AgentApprovalsOperations);
    expect(world.agent.databases).toBeInstanceOf(DatabasesOperations);
    expect(world.agent.deployments).toBeInstanceOf(DeploymentsOperations);
  });

  it("matches what the generator puts on the client, for each file of src/resources", async () => {
    const files = generateResources(await loadContract());
    const written = readdirSync(fileURLToPath(new URL("../../src/resources", import.meta.url)));
    const taken = [
      ...(files.get("resources/generated/resources.ts") ?? "").matchAll(
        /import .* from "\.\.\/([^/]*)\.js"/g,
      ),
    ];
    expect(taken.map(([, name]) => `${name}.ts`)).toEqual(
      written.filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts")).sort(),
    );
  });
});
