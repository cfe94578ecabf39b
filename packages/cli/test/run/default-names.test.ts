import { expect, it } from "vitest";
import { runInProcess } from "../in-process.js";
import { useProvisioning } from "../provisioning.js";

const at = useProvisioning();

const nameOf = (json: unknown): unknown => (json as { name: string }).name;

it("gives an unnamed database its logical id as its name: create, ensure, --body, and --dry-run", async () => {
  const { id } = await at.session.server.engine.seed.project();
  const create = ["databases", "create", "--project-id", id, "-o", "json"];
  const run = async (...line: string[]): Promise<unknown> => (await runInProcess(line, at.session)).json;
  expect(nameOf(await run(...create, "--logical-id", "reports"))).toBe("reports");
  expect(nameOf(await run("databases", "ensure", ...create.slice(2), "--logical-id", "orders"))).toBe(
    "orders",
  );
  expect(nameOf(await run(...create, "--body", '{"logicalId":"carts"}'))).toBe("carts");
  expect(nameOf(await run(...create, "Sales", "--logical-id", "sales"))).toBe("Sales");
  expect(nameOf(await run(...create))).not.toBe(undefined);
  expect(await run(...create, "--logical-id", "later", "--dry-run")).toMatchObject([
    { body: { name: "later", logicalId: "later" } },
    {},
  ]);
});

it("gives an unnamed project of a manifest, as an unnamed database in it, its key as its name", async () => {
  at.write(`version: 1
projects:
  shop:
    branches:
      main:
        databases:
          catalog: {}
          reports: { name: Reports }
`);
  expect((await at.mgmt`apply -o json`).status).toBe(0);
  const { json } = await at.mgmt`databases list -o json`;
  expect((json as { name: string }[]).map(({ name }) => name)).toEqual(["catalog", "Reports"]);
  expect((await at.mgmt`projects list -o json`).json).toMatchObject([{ name: "shop", logicalId: "shop" }]);
  expect((await at.mgmt`plan`).stdout).toBe("No changes.\n");
});
