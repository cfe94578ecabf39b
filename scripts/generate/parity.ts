import type { Contract } from "./contract.js";

/** Returns the page that says what the behavior of each operation of the reference server is based on. */
export const parityPage = ({ operations }: Contract): string => {
  const documented = operations.filter(({ origin }) => origin === "documented").length;
  const rows = operations.map(
    ({ id, method, path, origin }) =>
      `| \`${id}\` | \`${method} ${path}\` | ${origin === "documented" ? "documented" : "assumed"} |`,
  );
  return [
    "# Parity with the public service\n",
    "What the behavior of each operation of the reference server is based on:\n",
    "- **recorded**: compared with a recording of the public service.",
    "- **documented**: follows the public documentation of the API.",
    "- **assumed**: the documentation names the operation, or another one like it, but does not show it.\n",
    `No operation is recorded yet, ${String(documented)} are documented, and ${String(operations.length - documented)} are assumed. The`,
    "README of `@mgmt/mock` says how to compare the reference server with a service. The operations are those of the",
    "[client](README.md).\n",
    "| operation | request | based on |",
    "| --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
};
