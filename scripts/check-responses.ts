import { existsSync, readFileSync } from "node:fs";
import { loadContract } from "./generate/contract/contract.js";
import { responsesFile } from "./responses-file.js";

/**
 * Compares the responses that the tests received with those of the contract. Fails if no test received a response that the
 * contract lists, or if a test received one that it does not list. Run it after all tests: each process of Vitest appends lines of
 * the form `operation status code` to one file.
 */
const contract = await loadContract();
const listed = new Set(
  contract.operations.flatMap(({ id, success, errors }) => [
    `${id} ${success.status} -`,
    ...errors.flatMap(({ status, codes }) => codes.map((code) => `${id} ${status} ${code}`)),
  ]),
);
if (!existsSync(responsesFile)) throw new Error("No responses are recorded. Run the tests first.");
const seen = new Set(readFileSync(responsesFile, "utf8").trim().split("\n"));

const unseen = [...listed].filter((row) => !seen.has(row)).sort();
const unlisted = [...seen].filter((row) => !listed.has(row)).sort();
const print = (title: string, rows: string[]): void => {
  if (rows.length > 0) console.error(`${title}\n${rows.map((row) => `  ${row}`).join("\n")}`);
};
print("The contract lists these responses, but no test received them:", unseen);
print("The tests received these responses, but the contract does not list them:", unlisted);
console.log(
  `${listed.size - unseen.length} of ${listed.size} responses of the contract received, ${unlisted.length} unlisted`,
);
if (unseen.length + unlisted.length > 0) process.exitCode = 1;
