import { existsSync, readFileSync } from "node:fs";
import { loadContract } from "./generate/contract.js";
import { answersFile } from "./answers-file.js";

/**
 * Compares what the tests saw answered with what the contract lists: fails on a pair that no test has seen, and on an
 * answer outside the contract. Run after all tests; each process of theirs appends `operation status code` to one file.
 */
const contract = await loadContract();
const listed = new Set(
  contract.operations.flatMap(({ id, success, errors }) => [
    `${id} ${success.status} -`,
    ...errors.flatMap(({ status, codes }) => codes.map((code) => `${id} ${status} ${code}`)),
  ]),
);
if (!existsSync(answersFile)) throw new Error("No answer was recorded: run the tests first");
const seen = new Set(readFileSync(answersFile, "utf8").trim().split("\n"));

const unseen = [...listed].filter((row) => !seen.has(row)).sort();
const foreign = [...seen].filter((row) => !listed.has(row)).sort();
const print = (title: string, rows: string[]): void => {
  if (rows.length > 0) console.error(`${title}\n${rows.map((row) => `  ${row}`).join("\n")}`);
};
print("The contract lists these answers, but no test has seen them:", unseen);
print("The tests saw these answers, but the contract does not list them:", foreign);
console.log(
  `${listed.size - unseen.length} of ${listed.size} answers of the contract seen, ${foreign.length} outside of it`,
);
if (unseen.length + foreign.length > 0) process.exitCode = 1;
