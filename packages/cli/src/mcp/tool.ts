import type { InputRequiredResult } from "@modelcontextprotocol/server";
import type { InputSchema, ToolAnnotations } from "./operation-tool.js";
import type { FieldNameSource } from "./redactor.js";

/** The arguments of a call of a tool, by name, as the client has sent them. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** A call that a result proposes: the name of a tool, and its arguments. */
export interface NextCall {
  readonly tool: string;
  readonly arguments: ToolArguments;
}

/** The result of a tool, before its secrets are removed. */
export type ToolResult = Readonly<Record<string, unknown>>;

/**
 * The form that asks the user whether a change may be made: for a yes, or for a text to type. A type, because the SDK wants one with an
 * index.
 */
export type ConfirmationSchema = {
  type: "object";
  properties: { confirm: { type: "boolean"; title: string } | { type: "string"; title: string } };
  required: ["confirm"];
};

/** The context of a tool call. */
export interface ToolCall {
  readonly tool: string;
  readonly arguments: ToolArguments;
  /** Aborted when the client cancels the call, or the server stops. */
  readonly signal: AbortSignal;
  /** The time of `performance.now()` until which the call may wait. */
  readonly deadlineMs: number;
  /** Tells the client that the call is still in progress. */
  readonly report: (message: string) => void;
  /** Whether the client can show a link to the user. */
  readonly hasUrlElicitation: boolean;
  /** Shows a link, and returns the answer, or undefined if there is none in time. Absent for clients that answer with another call. */
  readonly showLink?: ((message: string, url: string, id: string) => Promise<unknown>) | undefined;
  /** Shows a form, and returns the answer, or undefined if there is none in time. Absent for clients that answer with another call. */
  readonly showForm?: ((message: string, schema: ConfirmationSchema) => Promise<unknown>) | undefined;
  /** Whether the client can ask the user to fill in a form. */
  readonly hasFormElicitation: boolean;
  /** The user's answers to the questions of this call, by key. Undefined before the first question. */
  readonly answers: Readonly<Record<string, unknown>> | undefined;
}

/** A tool of the server. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
  readonly annotations: ToolAnnotations;
  /** The operation that it calls. Absent if that depends on the arguments, or it calls several. */
  readonly operation?: string;
  /** Throws if arguments that fit the schema are not valid, before the user is asked about them. */
  readonly check?: (args: ToolArguments) => Promise<void>;
  /** The error of every call, for a tool that this server does not offer. */
  readonly rejection?: Error;
  /** The source of the field names in its results, which determines which fields are secret. Default: `contract`. */
  readonly resultNames?: FieldNameSource;
  readonly run: (args: ToolArguments, call: ToolCall) => Promise<ToolResult | InputRequiredResult>;
}

/** Milliseconds that a wait of a call may still take. */
export const remainingMs = ({ deadlineMs }: Pick<ToolCall, "deadlineMs">): number =>
  Math.max(1, deadlineMs - performance.now());
