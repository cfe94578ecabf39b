/** A program that has been parsed. */
export interface Program {
  readonly source: string;
  readonly imports: readonly ImportedName[];
  /** The first line that is not JavaScript. */
  readonly mistakeAt?: number;
}

/** The name of a module in a program, with its quotes from `from` to `to`. */
export interface ImportedName {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The modules that a program can import. */
export const providedModules = ["@mgmt/sdk", "@mgmt/sdk/auth/node"] as const;

/** What a worker starts with. */
export interface Start {
  readonly program: Program;
  readonly baseUrl: string;
  readonly authUrl: string;
  /** Of a user of the mock. */
  readonly token: string;
}

/** What a program prints. */
export interface Printed {
  readonly level: "log" | "warn" | "error";
  readonly text: string;
}

/** How a program ended with an error. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  /** Of an error of the SDK or of this page. */
  readonly code?: string;
  /** What to do about it. */
  readonly hint?: string;
  /** The line of the program. */
  readonly line?: number;
}

export interface SentRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: [string, string][];
  readonly body: ArrayBuffer | null;
}

/** From the worker to the page. A request comes with the port that expects its response. */
export type FromWorker =
  | { readonly type: "print"; readonly printed: Printed }
  | { readonly type: "request"; readonly request: SentRequest }
  | { readonly type: "end"; readonly failure?: Failure };

/** The response to a request, or why there is none. */
export type ReceivedResponse =
  | { readonly status: number; readonly headers: [string, string][]; readonly body: ArrayBuffer }
  | { readonly failure: string };
