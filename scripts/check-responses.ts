import { existsSync, readFileSync } from "node:fs";
import { loadContract } from "./generate/contract/contract.js";
import { isInstanceOf, readErrorTexts } from "./generate/contract/error-texts.js";
import { responsesFile } from "./responses-file.js";

/**
 * Compares the responses that the tests received with those of the contract. Fails if no test received a response that the
 * contract lists, or if a test received one that it does not list, or one whose message and hint are not those of its code. Run it after all
 * tests: each process of Vitest appends lines of the form `operation status code` to one file, and `{"message":…,"hint":…}` for errors.
 */
const contract = await loadContract();
const listed = new Set(
  contract.operations.flatMap(({ id, success, errors }) => [
    `${id} ${success.status} -`,
    ...errors.flatMap(({ status, codes }) => codes.map((code) => `${id} ${status} ${code}`)),
  ]),
);
if (!existsSync(responsesFile)) throw new Error("No responses are recorded. Run the tests first.");
const lines = [...new Set(readFileSync(responsesFile, "utf8").trim().split("\n"))];
const seen = new Set(lines.map((line) => line.split(" ", 3).join(" ")));
const texts = readErrorTexts(contract.document);
const hasOtherTexts = (line: string): boolean => {
  const [operation = "", status = "", code = ""] = line.split(" ", 3);
  if (code === "-") return false;
  // The recorder of the tests wrote it.
  const error = JSON.parse(line.slice(`${operation} ${status} ${code} `.length)) as {
    message: string;
    hint?: string;
  };
  return !texts.some(
    (text) => text.code === code && text.status === Number(status) && isInstanceOf(text, error),
  );
};

const unseen = [...listed].filter((row) => !seen.has(row)).sort();
const unlisted = [...seen].filter((row) => !listed.has(row)).sort();
const different = lines.filter(hasOtherTexts).sort();
const print = (title: string, rows: string[]): void => {
  if (rows.length > 0) console.error(`${title}\n${rows.map((row) => `  ${row}`).join("\n")}`);
};
print("The contract lists these responses, but no test received them:", unseen);
print("The tests received these responses, but the contract does not list them:", unlisted);
print("The tests received these errors, but the contract has other messages or hints:", different);
console.log(
  `${listed.size - unseen.length} of ${listed.size} responses of the contract received, ${unlisted.length} unlisted, ` +
    `${different.length} of ${lines.length} with another message or hint`,
);
if (unseen.length + unlisted.length + different.length > 0) process.exitCode = 1;
