import type { ProgramCall, ProgramEnd } from "../recorded-programs.js";

/** What a recorded git says about a clone and its remotes. */
export interface RecordedClone {
  /** Whether the folder is in a clone. Default: true. */
  isClone?: boolean;
  /** Null: HEAD is detached. */
  branch?: string | null;
  /** Branches of worktrees. Default: that of the folder. */
  worktrees?: readonly string[];
  /** Addresses by name. */
  remotes?: Record<string, string>;
  /** Branches by the address of the remote. An address that is not here cannot be reached. */
  remoteBranches?: Record<string, readonly string[]>;
  /** Commits by whole ref. */
  refs?: Record<string, string>;
  /** Scope and setting of each one that the clone has: `["local", "http.extraheader\nAuthorization: x"]`. */
  settings?: readonly (readonly [scope: string, setting: string])[];
  /** Value of core.sshCommand of the user. */
  sshCommand?: string;
  ignored?: readonly string[];
  tracked?: readonly string[];
  /** What git says instead of an answer: it refuses the folder. */
  rejection?: string | undefined;
}

const ok = (...lines: readonly string[]): ProgramEnd => ({
  stdout: lines.map((line) => `${line}\n`).join(""),
});
const no: ProgramEnd = { status: 1 };
const fatal = (stderr: string): ProgramEnd => ({ status: 128, stderr: `fatal: ${stderr}\n` });

/** Returns a program that answers as git in a clone. The clone can change between calls. */
export const recordedGit =
  (clone: RecordedClone) =>
  ({ args }: ProgramCall): ProgramEnd => {
    const words = withoutSettings(args);
    const [command, ...rest] = words;
    const last = words.at(-1) ?? "";
    if (command === "ls-remote") return listRemote(clone, rest);
    if (words.join(" ") === "config --get core.sshCommand")
      return clone.sshCommand === undefined ? no : ok(clone.sshCommand);
    if (clone.rejection !== undefined) return fatal(clone.rejection);
    if (clone.isClone === false)
      return fatal("not a git repository (or any of the parent directories): .git");
    const { branch = "main", remotes = {}, refs = {}, settings = [] } = clone;
    switch (words.slice(0, 2).join(" ")) {
      case "symbolic-ref --quiet":
        return branch === null ? no : ok(branch);
      case "rev-parse --git-dir":
        return ok(".git");
      case "rev-parse --show-toplevel":
        return ok("/srv/clone");
      case "rev-parse --verify":
        return refs[last] === undefined ? no : ok(refs[last]);
      case "worktree list":
        return ok(
          ...(clone.worktrees ?? [branch ?? ""]).flatMap((name) => [
            `worktree /${name}`,
            `branch refs/heads/${name}`,
            "",
          ]),
        );
      case "remote":
        return ok(...Object.keys(remotes));
      case "remote get-url":
        return remotes[last] === undefined ? fatal(`No such remote '${last}'`) : ok(remotes[last]);
      case "config --null":
        return settings.length === 0
          ? no
          : { stdout: settings.map((pair) => `${pair.join("\0")}\0`).join("") };
      case "check-ignore --quiet":
        return clone.ignored?.includes(last) && !clone.tracked?.includes(last) ? ok() : no;
      case "ls-files --error-unmatch":
        return clone.tracked?.includes(last) ? ok(last) : no;
      default:
        throw new Error(`The recorded git does not know ${words.join(" ")}`);
    }
  };

/** Returns a command line of git without the settings before it. */
export const withoutSettings = (args: readonly string[]): readonly string[] => {
  const start = args.findIndex((word, index) => index % 2 === 0 && word !== "-c");
  return args.slice(start);
};

const listRemote = ({ remoteBranches = {} }: RecordedClone, rest: readonly string[]): ProgramEnd => {
  const [address = "", ...patterns] = rest.slice(rest.indexOf("--") + 1);
  const branches = remoteBranches[address];
  if (!branches) return fatal(`unable to access '${address}': Could not resolve host`);
  const refs = branches.map((name) => `refs/heads/${name}`);
  return ok(
    ...refs
      .filter((ref) => patterns.length === 0 || patterns.includes(ref))
      .map((ref) => `${"0".repeat(40)}\t${ref}`),
  );
};

/** A clone of the repository of a shop, as the commands of git in a test would change it. */
export class RecordedShop implements RecordedClone {
  branch: string | null = "main";
  worktrees: readonly string[] = ["main"];
  remotes: Record<string, string> = { origin: "https://git.example/shop.git" };
  remoteBranches: Record<string, readonly string[]> = { "https://git.example/shop.git": ["main"] };
  refs: Record<string, string> = { "refs/heads/main": commitOf("main") };
  isClone = true;
  ignored: readonly string[] = [];
  rejection?: string | undefined;

  /** Becomes a new clone. */
  reset(): void {
    Object.assign(this, new RecordedShop());
  }

  /** Creates a branch with a commit, and is on it. */
  startBranch(branch: string, { push = true } = {}): void {
    this.refs[`refs/heads/${branch}`] = commitOf(branch);
    if (push) this.push(branch);
    this.checkOut(branch);
  }

  /** Is on a branch, or on a commit. */
  checkOut(branch: string | null): void {
    this.branch = branch;
    this.worktrees = branch === null ? [] : [branch];
  }

  push(branch: string): void {
    const { address } = this;
    this.remoteBranches[address] = [...(this.remoteBranches[address] ?? []), branch];
    this.refs[`refs/remotes/origin/${branch}`] = commitOf(branch);
  }

  deleteRemoteBranch(branch: string): void {
    const { address } = this;
    this.remoteBranches[address] = (this.remoteBranches[address] ?? []).filter((name) => name !== branch);
    delete this.refs[`refs/remotes/origin/${branch}`];
  }

  /** The remote is another repository from now on. */
  useRemote(address: string): void {
    this.remotes = { origin: address };
    this.remoteBranches[address] ??= ["main"];
  }

  get address(): string {
    return this.remotes["origin"] ?? "";
  }
}

/** Returns the commit of a branch: the same one for the same name. */
export const commitOf = (branch: string): string =>
  Buffer.from(branch.padEnd(20, "-")).toString("hex").slice(0, 40);
