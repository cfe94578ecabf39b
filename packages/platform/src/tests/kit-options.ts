import { findClosestName } from "@mgmt/internal/text/closest-name";

/** What a function that prepares the template gets: how to connect to the new, empty database. */
export interface SetupContext {
  /** Connection string of the database, with its password. */
  readonly connectionString: string;
  /** Is aborted when the setup takes too long. */
  readonly signal: AbortSignal;
}

/** Options of the databases of tests. */
export interface DatabaseTestOptions {
  /**
   * Fills a new, empty database, of which each test gets a copy: a shell command with `DATABASE_URL` in its environment, or a function. It
   * runs once, and again when `setup`, `key`, `files`, the lock file of the package manager, or the version of Postgres changes.
   * Default: the databases are empty.
   */
  setup?: string | ((context: SetupContext) => unknown) | undefined;
  /**
   * Paths and patterns of the files that the setup reads, such as `prisma/**`, relative to `cwd`. `*` matches within a folder, `**` across
   * folders. Folders named `node_modules` or `.git` are left out of `**`. Default: none.
   */
  files?: readonly string[] | undefined;
  /** Stands for everything else that the setup depends on. Change it to run the setup again. Default: none. */
  key?: string | undefined;
  /** Working directory of the command, and where `files` are. Default: the working directory of the process. */
  cwd?: string | undefined;
  /** How long the setup may take, in milliseconds. Default: 120000. */
  setupTimeoutMs?: number | undefined;
  /** Whether the database of a failed test remains, and how to open it is printed. It is dropped after 7 days. Default: false. */
  keepOnFailure?: boolean | undefined;
}

/** The options, checked. */
export interface DatabaseTestSettings {
  readonly setup: string | ((context: SetupContext) => unknown) | undefined;
  readonly files: readonly string[];
  readonly key: string;
  readonly cwd: string;
  readonly setupTimeoutMs: number;
  readonly keepOnFailure: boolean;
}

const defaultSetupTimeoutMs = 120_000;

/** The longest time of a timer of Node.js, in milliseconds. */
const maxTimeoutMs = 2 ** 31 - 1;

interface OptionRule {
  readonly isValid: (value: unknown) => boolean;
  readonly expectation: string;
}

const isString = (value: unknown): boolean => typeof value === "string";

const rules: Record<keyof DatabaseTestOptions, OptionRule> = {
  setup: {
    isValid: (value) => typeof value === "function" || (typeof value === "string" && value.trim() !== ""),
    expectation: "a shell command or a function",
  },
  files: {
    isValid: (value) =>
      Array.isArray(value) && value.every((path) => typeof path === "string" && path !== ""),
    expectation: "an array of paths and patterns",
  },
  key: { isValid: isString, expectation: "a string" },
  cwd: { isValid: (value) => isString(value) && value !== "", expectation: "the path of a directory" },
  setupTimeoutMs: {
    isValid: (value) => typeof value === "number" && value > 0 && value <= maxTimeoutMs,
    expectation: "a positive number of milliseconds",
  },
  keepOnFailure: { isValid: (value) => typeof value === "boolean", expectation: "a boolean" },
};

const isOptionName = (name: string): name is keyof DatabaseTestOptions => Object.hasOwn(rules, name);

/**
 * Checks the options.
 *
 * @throws TypeError for an option that does not exist or is not valid.
 */
export const resolveDatabaseTestOptions = (options: DatabaseTestOptions = {}): DatabaseTestSettings => {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new TypeError('The options must be an object, such as { setup: "npm run migrate" }');
  }
  for (const [name, value] of Object.entries(options)) {
    if (!isOptionName(name)) {
      const closest = findClosestName(name, Object.keys(rules));
      throw new TypeError(
        `There is no option ${name}.${closest === undefined ? "" : ` Did you mean ${closest}?`} The options are ${Object.keys(rules).join(", ")}`,
      );
    }
    if (value !== undefined && !rules[name].isValid(value)) {
      throw new TypeError(`${name} must be ${rules[name].expectation}`);
    }
  }
  return {
    setup: options.setup,
    files: options.files ?? [],
    key: options.key ?? "",
    cwd: options.cwd ?? process.cwd(),
    setupTimeoutMs: options.setupTimeoutMs ?? defaultSetupTimeoutMs,
    keepOnFailure: options.keepOnFailure ?? false,
  };
};
