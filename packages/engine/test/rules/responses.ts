import type { operations } from "../../../sdk/src/generated/schema.js";
import type { OperationId } from "../../src/generated/operations.js";

type Body<Response> = Response extends { content: { "application/json": infer Json } } ? Json : undefined;
type SuccessOf<All> = { [Status in keyof All & (200 | 201 | 202 | 204)]: Body<All[Status]> }[keyof All &
  (200 | 201 | 202 | 204)];

/** The body of each operation's success by the contract. Tests also check every response against it. */
export type Responses = { [Id in OperationId]: SuccessOf<operations[Id]["responses"]> };
