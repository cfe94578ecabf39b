import type { LoggedRequest } from "@mgmt/engine";
import { expect, it } from "vitest";
import { createIgnoredFieldReporter } from "./ignored-fields.js";

const request = (operationId: string | null, ...ignoredFields: string[]): LoggedRequest =>
  // The reporter reads no other fields.
  ({ operationId, ignoredFields }) as Partial<LoggedRequest> as LoggedRequest;

it("reports each ignored field of an operation once", () => {
  const lines: string[] = [];
  const report = createIgnoredFieldReporter((line) => lines.push(line));
  report(request("projects.create", "nmae", "region2"));
  report(request("projects.create", "nmae"));
  report(request("databases.create", "nmae"));
  report(request("me.get"));
  expect(lines.map((line) => line.replace(/:.*/, ""))).toEqual([
    "Ignored nmae in the body of projects.create",
    "Ignored region2 in the body of projects.create",
    "Ignored nmae in the body of databases.create",
  ]);
});

it("reports no more than 1,000 fields", () => {
  const lines: string[] = [];
  const report = createIgnoredFieldReporter((line) => lines.push(line));
  report(request("projects.create", ...Array.from({ length: 1_001 }, (_, index) => `field${String(index)}`)));
  expect(lines).toHaveLength(1_000);
});
