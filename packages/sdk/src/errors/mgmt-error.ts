import type { ConnectResume } from "./connect-resume.js";
import type { Attempt } from "./attempt.js";

/**
 * Stable names for hints that mention an option or a method of the SDK, or a login. A program with its own names for these,
 * such as a command line, can show its own words instead of `hint`; every other hint can be shown as it is.
 *
 * | advice                | what to do                                                                     |
 * | --------------------- | ------------------------------------------------------------------------------ |
 * | `fix_argument`        | Correct the option or argument named by `InvalidArgumentError.argument`.       |
 * | `check_base_url`      | Check the URL of the Management API, and that it can be reached.           |
 * | `use_redirect_target` | Use the URL that the service redirects to as the URL of the API.       |
 * | `check_intermediary`  | Check the URL of the API and the proxies and load balancers in front of it. |
 * | `check_auth_url`      | Check the URL of the authorization server, and that it can be reached.     |
 * | `check_client_id`     | Use a separate token store for each OAuth client, or log in again.             |
 * | `check_token`         | Check the token for a line break or a leading `Bearer `.                       |
 * | `set_token`           | Set a token, or log in.                                                        |
 * | `log_in`              | Log in again.                                                                  |
 * | `log_in_manually`     | Log in without a loopback listener: the user pastes the callback URL.      |
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
  | "set_token"
  | "log_in"
  | "log_in_manually"
  | "wait_longer"
  | "wait_and_resend"
  | "start_deployment";

/** Options of the constructors of errors. */
export interface MgmtErrorOptions extends ErrorOptions {
  hint?: string | undefined;
  advice?: Advice | undefined;
}

/**
 * Key of the property with the kinds of an error: the kinds of its class and its superclasses. All copies of the SDK in a process use the
 * same key.
 */
export const kindsKey = Symbol.for("@mgmt/sdk/error");

/**
 * Returns the kinds of a class and of its superclasses. A subclass without a kind of its own repeats the kind of its superclass, which is
 * harmless.
 */
const listKinds = (errorClass: typeof MgmtError): string[] =>
  errorClass.kind
    ? [errorClass.kind, ...listKinds(Object.getPrototypeOf(errorClass) as typeof MgmtError)]
    : [];

/** Returns whether a value is an error of this kind, from any copy of the SDK. */
export const hasErrorKind = (value: unknown, kind: string): boolean => {
  // `Object` accepts any value.
  const kinds: unknown = Reflect.get(Object(value) as object, kindsKey);
  return Array.isArray(kinds) && kinds.includes(kind);
};

/**
 * Base class of all errors of the SDK. `instanceof` works across copies and module systems: an error from the CommonJS build
 * is an instance of the ES module's class too.
 */
export class MgmtError extends Error {
  /** Identifies the class in every copy of the SDK. */
  static readonly kind: string = "MgmtError";
  /** Name of the class in messages. Unlike `name`, minifiers do not change it. */
  static get className(): string {
    return this.kind;
  }

  /** Stable name of the problem, `noun:reason`. */
  declare readonly code: string;
  /** How to fix the problem. */
  declare readonly hint?: string;
  /** Stable name of the hint; set when the hint mentions an option or a method of the SDK, or a login. */
  declare readonly advice?: Advice;
  /** HTTP requests sent for the call, in order; absent when there were none. */
  declare attempts?: readonly Attempt[];
  /** What exists, and how to continue. Only errors of `createAndConnect` and `ensureAndConnect` have it, once the database exists. */
  declare resume?: ConnectResume;

  constructor(code: string, message: string, options?: MgmtErrorOptions) {
    super(message, options);
    this.code = code;
    if (options?.hint !== undefined) this.hint = options.hint;
    if (options?.advice !== undefined) this.advice = options.advice;
    Object.defineProperty(this, kindsKey, { value: listKinds(new.target) });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // A caller's subclass may have no kind of its own; the language's own check applies to it.
    if (!Object.hasOwn(this, "kind")) return super[Symbol.hasInstance](value);
    return hasErrorKind(value, this.kind);
  }

  /** Returns `AppAlreadyExistsError: …`, even when the code adds a field called `name`. */
  override toString(): string {
    // The constructor of every instance is this class or a subclass.
    return `${(this.constructor as typeof MgmtError).className}: ${this.message}`;
  }

  /** Returns everything a log needs; never a token, a header of the request or a body. */
  toJSON(): Record<string, unknown> {
    return { name: this.name, message: this.message, ...(this as object) };
  }
}

// A getter, because the first line of the stack is written before any field is set; on the prototype, because a code may add
// a field of that name. It does not depend on class names, which minifiers change. A name that a program assigns becomes a field,
// as on every error.
Object.defineProperty(MgmtError.prototype, "name", {
  get(this: MgmtError) {
    return (this.constructor as typeof MgmtError).className;
  },
  set(value: unknown) {
    Object.defineProperty(this, "name", { value, writable: true });
  },
});
