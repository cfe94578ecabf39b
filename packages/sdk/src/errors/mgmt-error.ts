import type { Attempt } from "../request/attempt.js";

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
  /** HTTP requests that were sent for the call, in their order; absent when none was. */
  declare attempts?: readonly Attempt[];

  constructor(code: string, message: string, options?: ErrorOptions & { hint?: string | undefined }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    if (options?.hint !== undefined) this.hint = options.hint;
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
