import type { Field } from "../../../packages/cli/src/contract/generated-command.js";

/** Words of the contract, which describes requests and responses, and those of the command line for the same. */
const replacements: readonly (readonly [contract: RegExp, commandLine: string])[] = [
  [/\bReturns /g, "Prints "],
  [/\bReturn only /g, "Print only "],
  [
    /The `nextCursor` of the previous page\. .* with the same path and filters\./,
    "Start after the page that printed this cursor. It is valid only for the same command with the same filters.",
  ],
  [/unless `createDatabase` is false, /, "unless you pass --no-create-database, "],
  [
    /The service may return connection strings .* to get one in any case\./,
    "Creates a connection for it too, and prints its connection string. mgmt connection-string prints one later.",
  ],
  [/If one of them is null, /, "With --unset branch-id, "],
  [/from the `approvalId` of an `approval_required` error/, "from the error of the command that needs it"],
  [
    /False is not allowed for the default branch: (.*)\. Null changes nothing\./,
    "--no-is-default is not allowed for the default branch: $1.",
  ],
  [
    /Poll until the status is no longer `pending`, then send the approved request again\./,
    "mgmt agent-approvals wait waits for the decision; then run the approved command again.",
  ],
  [/Upload the code to `uploadUrl` with/, "Upload the code to the printed upload URL with"],
  // Commands refuse to list what belongs to a resource that they cannot read, and page through lists by themselves.
  [/ The list is empty for a (?:project|database) that the credential cannot access\./, ""],
  [/ The list has no \w+\./, ""],
  // Commands mask the passwords of connections that exist.
  [/ (?:\w+ )+?`directConnection` [^.]*\./, ""],
];

/** Rewrites texts of the contract in the words of the command line. */
export class CommandWords {
  readonly #unused = new Set(replacements.map(([contract]) => contract));

  /**
   * @param fields those that the text can mention. Their flags replace their names.
   * @param own the one that the text describes.
   */
  rewrite(text: string, fields: readonly Field[], own?: Field): string {
    let words = text.replace(/^Whether to (.)/, (_, first: string) => first.toUpperCase());
    for (const [contract, commandLine] of replacements) {
      const rewritten = words.replace(contract, commandLine);
      if (rewritten === words) continue;
      this.#unused.delete(contract);
      words = rewritten;
    }
    if (own) words = words.replace(/\bNull (?=creates|removes)/, `--unset ${own.flag} `);
    const flags = new Map(
      fields.map(({ path, flag, secret }) => [path.join("."), `--${flag}${secret ? "-file" : ""}`]),
    );
    const siblings = own?.path.slice(0, -1) ?? [];
    return words.replaceAll(
      /`([\w.]+)`/g,
      (quoted, name: string) =>
        flags.get(name) ?? flags.get([...siblings, name].join(".")) ?? flags.get(`${name}.id`) ?? quoted,
    );
  }

  /** Throws if the contract no longer has a text that is replaced. */
  assertUsed(): void {
    if (this.#unused.size === 0) return;
    throw new Error(
      `scripts/generate/cli/words.ts replaces texts that the contract does not have:\n${[...this.#unused].join("\n")}`,
    );
  }
}
