import { expect, it } from "vitest";
import { runInProcess } from "../../in-process.js";

it.each([
  ["a percent sign that encodes nothing", "postgresql://u:hidden%zz@127.0.0.1/db"],
  ["a percent sign at the end", "postgresql://u:hidden@127.0.0.1/db%2"],
  ["a line break", "postgresql://u:hidden@127.0\n.0.1/db"],
])("refuses a connection string with %s, and does not repeat its password", async (_, text) => {
  const line = ["db", "import", "db_1", "--source-env", "X"];
  const { status, stdout, stderr } = await runInProcess(line, { env: { X: text } });
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("The variable X is not a Postgres connection string");
  expect(stderr).toContain("%25");
  expect(stderr).not.toContain("hidden");
});
