/** A value of an argument. A text that begins with `$` is what the client has read before, or a fact of the task. */
export type Args = Readonly<Record<string, unknown>>;

/** What a task does next. After each step, the server is killed. */
export type Step =
  | {
      readonly kind: "call";
      readonly tool: string;
      readonly args: Args;
      /** Fields of the result. */
      readonly gives: object;
      /** Names for values of the result, by their paths. */
      readonly remember: Readonly<Record<string, string>>;
      /** Whether the server is killed once it has begun with the change. The client then repeats the call. */
      readonly isCut: boolean;
    }
  | { readonly kind: "next"; readonly gives: object }
  | { readonly kind: "sponsor"; readonly decision: "approve" | "approve-window" | "deny" | "sleep" }
  | { readonly kind: "lose"; readonly operation: string }
  | { readonly kind: "user"; readonly does: UserAction };

/** What the user has done in the folder. */
export type UserAction = "write .env.local" | "track .env" | "link .env" | "make .env a folder";

/** Calls a tool. */
export const call = (
  tool: string,
  args: Args = {},
  gives: object = {},
  remember: Readonly<Record<string, string>> = {},
): Step => ({ kind: "call", tool, args, gives, remember, isCut: false });

/** Calls a tool whose server is killed while it works, and calls it again. */
export const cutCall = (
  tool: string,
  args: Args,
  gives: object,
  remember: Readonly<Record<string, string>> = {},
): Step => ({ kind: "call", tool, args, gives, remember, isCut: true });

/** Makes the calls that `next` of the last result proposes, in order. The last one gives the fields. */
export const next = (gives: object = {}): Step => ({ kind: "next", gives });

/** The sponsor decides the last approval, or does not until it has expired. */
export const sponsor = (decision: "approve" | "approve-window" | "deny" | "sleep"): Step => ({
  kind: "sponsor",
  decision,
});

/** The response of the next request of an operation is lost after the service has carried it out. */
export const lose = (operation: string): Step => ({ kind: "lose", operation });

export const user = (does: UserAction): Step => ({ kind: "user", does });
