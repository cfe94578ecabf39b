import type { Field } from "../../../packages/cli/src/contract/row.js";

/** Words of the contract, which describes requests and responses, and those of the command line for the same. */
const replacements: readonly (readonly [contract: string, commandLine: string])[] = [
  ["Returns ", "Prints "],
  ["Return only ", "Print only "],
  [" The request body is optional.", ""],
  ["Omitted fields keep their value.", "What you leave out keeps its value."],
  [
    "The `nextCursor` of the previous page. Omit it to get the first page. Cursors are valid only for the same operation with the same path and filters.",
    "Start after the page that printed this cursor. It is valid only for the same command with the same filters.",
  ],
  [" The list is empty for a project that the credential cannot access.", ""],
  [" The list is empty for a database that the credential cannot access.", ""],
  ["Omit it to get all backups.", "Without it, all backups are printed."],
  ["unless `createDatabase` is false, ", "unless you pass --no-create-database, "],
  [
    "The response contains the credentials of the database, which are not returned again.",
    "Prints the credentials of the database, which are not shown again.",
  ],
  [
    "The response contains the credentials of its first connection, which are not returned again.",
    "Prints the credentials of its first connection, which are not shown again.",
  ],
  [
    "The service may return connection strings in the endpoints of the first connection. Create a connection for the database to get one in any case.",
    "Creates a connection for it too, and prints its connection string. mgmt connection-string prints one later.",
  ],
  [
    "If omitted, `defaultRegion` is null and the database is created",
    "Without it, the project has no default region, and the database is created",
  ],
  ["Cannot be combined with `fromDatabase`.", "Cannot be combined with --from-database-id."],
  ["Must belong to `databaseId`", "Must belong to --source-database-id"],
  ["Null creates the app without a branch.", "--unset branch-id creates the app without a branch."],
  [
    "If one of them is null, the app is not on a branch.",
    "With --unset branch-id, the app is not on a branch.",
  ],
  [
    "If one of them is null, the service is not on a branch.",
    "With --unset branch-id, the service is not on a branch.",
  ],
  // Commands mask the passwords of connections that exist.
  [" Their `directConnection` has the current password, unless the service does not report it.", ""],
  [" Its `directConnection` has the current password, unless the service does not report it.", ""],
  [
    " The `directConnection` of their connections has the current password, unless the service does not report it.",
    "",
  ],
  [
    " The `directConnection` of its connections has the current password, unless the service does not report it.",
    "",
  ],
  [" The list has no pages.", ""],
  [" The list has no cursor.", ""],
  ["New logical id, or null to remove it.", "New logical id. --unset logical-id removes it."],
  ["Set it to null before you set a different one.", "Remove it before you set a different one."],
  [
    "until it is set to null. Setting the same `logicalId` again",
    "until --unset logical-id removes it. Setting the same one again",
  ],
  [
    "in `regionId`, by default in the project's default region, or else in",
    "in the region that --region-id names, by default the project's default region, or else",
  ],
  [
    "on the branch `branchId` or on the branch named `branchGitName`, which",
    "on the branch that --branch-id names, or on the one that --branch-git-name names, which",
  ],
  ["changes its `logicalId`", "changes its logical id"],
  ["`logicalId` cannot be combined", "A logical id cannot be combined"],
  ["with this `logicalId`", "with this logical id"],
  ["the same `logicalId`", "the same logical id"],
  ["has a `logicalId`", "has a logical id"],
  ["from the `approvalId` of an `approval_required` error", "from the error of the command that needs it"],
  ["Settings are not returned.", "Settings are not printed."],
  ["The connection strings are not returned again.", "The connection strings are not shown again."],
  ["True makes the branch the project's default branch.", "Make the branch the project's default branch."],
  [
    "False is not allowed for the default branch: make another branch the default instead. Null changes nothing.",
    "--no-is-default is not allowed for the default branch: make another branch the default instead.",
  ],
  ["Null removes the app from its branch.", "--unset branch-id removes the app from its branch."],
  ["Its `value` is not returned again.", "Its value is not shown again."],
  ["its `gitName` can", "its git name can"],
  ["its `source` is then the backup", "its source is then the backup"],
  [
    "Poll until the status is no longer `pending`, then send the approved request again.",
    "mgmt agent-approvals wait waits for the decision; then run the approved command again.",
  ],
  ["the request fails and nothing is changed", "the command fails and nothing is changed"],
  ["The response contains their number, which is 0", "Prints their number, which is 0"],
  ["Upload the code to `uploadUrl` with", "Upload the code to the printed upload URL with"],
];

/** Rewrites texts of the contract in the words of the command line. */
export class CommandWords {
  readonly #unused = new Set(replacements.map(([contract]) => contract));

  /** @param fields Those that the text can mention. Their flags replace their names. */
  rewrite(text: string, fields: readonly Field[]): string {
    let words = text.replace(/^Whether to (.)/, (_, first: string) => first.toUpperCase());
    for (const [contract, commandLine] of replacements) {
      if (!words.includes(contract)) continue;
      this.#unused.delete(contract);
      words = words.replaceAll(contract, commandLine);
    }
    const flags = new Map(
      fields.map(({ path, flag, secret }) => [path.join("."), `--${flag}${secret ? "-file" : ""}`]),
    );
    return words.replaceAll(/`([\w.]+)`/g, (quoted, name: string) => flags.get(name) ?? quoted);
  }

  /** Throws if the contract no longer has a text that is replaced. */
  assertUsed(): void {
    if (this.#unused.size === 0) return;
    throw new Error(
      `scripts/generate/cli/words.ts replaces texts that the contract does not have:\n${[...this.#unused].join("\n")}`,
    );
  }
}
