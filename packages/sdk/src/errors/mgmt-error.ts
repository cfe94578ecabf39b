import type { Attempt } from "../request/attempt.js";

/**
 * Stable names for hints that mention an option or a method of the SDK. A program with names of its own for them, such as a
 * command line, can show its own words instead of `hint`; every other hint can be shown as it is.
 *
 * | advice                | what to do                                                                     |
 * | --------------------- | ------------------------------------------------------------------------------ |
 * | `fix_argument`        | Correct the option or argument named by `InvalidArgumentError.argument`.       |
 * | `check_base_url`      | Check the address of the Management API, and that it can be reached.           |
 * | `use_redirect_target` | Use the address that the service redirects to as the address of the API.       |
 * | `check_intermediary`  | Check the address of the API and the proxies and load balancers in front of it. |
 * | `check_auth_url`      | Check the address of the authorization server, and that it can be reached.     |
 * | `check_client_id`     | Use a separate token store for each OAuth client, or log in again.             |
 * | `check_token`         | Check the token for a line break or a leading `Bearer `.                       |
 * | `log_in`              | Log in again.                                                                  |
 * | `log_in_manually`     | Log in without a loopback listener: the user pastes the callback address.      |
 * | `wait_longer`         | Wait again, or with a longer timeout; the operation is still in progress.      |
 * | `wait_and_resend`     | Wait for the approval again, then send the same request again.                 |
 * | `start_deployment`    | Start the deployment, then wait again.                                         |
 */
export type Advice =
  | "fix_argument"
  | "check_base_url"
  | "use_redirect_target"
  | "check_intermediary"
  | "check_auth_url"
  | "check_client_id"
  | "check_token"
  | "log_in"
  | "log_in_manually"
  | "wait_longer"
  | "wait_and_resend"
  | "start_deployment";

/** What every error of the SDK may be constructed with. */
export interface MgmtErrorOptions extends ErrorOptions {
  hint?: string | undefined;
  advice?: Advice | undefined;
}

/** On every error, under a key that all copies of the SDK share: the kinds of its class and of those above it. */
const lineage = Symbol.for("@mgmt/sdk/error");

/** `app:already_exists` is the kind of `AppAlreadyExistsError`; other kinds are the name of their class. */
export const className = (kind: string): string => {
  if (/[A-Z]/.test(kind)) return kind;
  const name = kind.replace(/(?:^|[^a-z0-9]+)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return name.endsWith("Error") ? name : `${name}Error`;
};

/** A subclass of the caller's own may have the kind of the class above it twice, which does no harm. */
const kindsOf = (errorClass: typeof MgmtError): string[] => {
  const kinds: string[] = [];
  for (let each = errorClass; each.kind; each = Object.getPrototypeOf(each) as typeof MgmtError) {
    kinds.push(each.kind);
  }
  return kinds;
};

/** Whether a value is an error of this kind, of whichever copy of the SDK. */
export const isKind = (value: unknown, kind: string): boolean => {
  // `Object` makes an object of anything.
  const kinds: unknown = Reflect.get(Object(value) as object, lineage);
  return Array.isArray(kinds) && kinds.includes(kind);
};

/** Makes an error of one kind more than its class says. */
export const addKind = (error: MgmtError, kind: string): void => {
  const kinds: unknown = Reflect.get(error, lineage);
  if (Array.isArray(kinds)) kinds.push(kind);
};

/**
 * What all errors of the SDK have in common. `instanceof` holds across copies and module systems: an error that the
 * CommonJS build threw is an instance of the ES module's class too.
 */
export class MgmtError extends Error {
  /** What tells the class apart from the others, in every copy of the SDK. */
  static readonly kind: string = "MgmtError";

  /** Stable name of what went wrong, `noun:reason`. */
  declare readonly code: string;
  /** What to do about it. */
  declare readonly hint?: string;
  /** Stable name of the hint's advice. Set exactly when the hint names an option or a method of the SDK. */
  declare readonly advice?: Advice;
  /** HTTP requests that were sent for the call, in their order; absent when none was. */
  declare attempts?: readonly Attempt[];

  constructor(code: string, message: string, options?: MgmtErrorOptions) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    if (options?.hint !== undefined) this.hint = options.hint;
    if (options?.advice !== undefined) this.advice = options.advice;
    Object.defineProperty(this, lineage, { value: kindsOf(new.target) });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // A subclass of the caller's own has no kind; there the language's own check holds.
    if (!Object.hasOwn(this, "kind")) return super[Symbol.hasInstance](value);
    return isKind(value, this.kind);
  }

  /** `AppAlreadyExistsError: …`, also where `name` is a field that the code adds. */
  override toString(): string {
    // Every error's constructor is a class of this module or below one.
    return `${className((this.constructor as typeof MgmtError).kind)}: ${this.message}`;
  }

  /** Everything a log needs; never a token, a header or a body. */
  toJSON(): Record<string, unknown> {
    return Object.assign<Record<string, unknown>, object>({ name: this.name, message: this.message }, this);
  }
}

// A getter, for the first line of the stack is written before any field is; on the prototype, for a code may add a field
// of that name. It says `AppAlreadyExistsError` also where code is minified.
Object.defineProperty(MgmtError.prototype, "name", {
  get(this: MgmtError) {
    return className((this.constructor as typeof MgmtError).kind);
  },
});
