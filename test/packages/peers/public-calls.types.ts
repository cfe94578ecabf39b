/**
 * Checks at compile time which calls of programs written against the contract of Prisma's Management API do not compile against this one, apart from
 * fields that exclude each other. The page about migration names them.
 */
import type { paths as PublicPaths } from "@prisma/management-api-sdk";
import type { paths } from "../../../packages/sdk/src/generated/schema.js";

type Path = keyof PublicPaths & keyof paths;
type Method = "get" | "post" | "put" | "patch" | "delete";
type OperationOf<Paths, P extends keyof Paths, M> = M extends keyof Paths[P]
  ? Exclude<Paths[P][M], undefined>
  : never;

interface Sent<Body, Query> {
  body: Body;
  query: Query;
}
type SentBy<Operation> = Operation extends {
  requestBody?: infer Request;
  parameters: { query?: infer Query };
}
  ? Sent<
      Exclude<Request, undefined> extends { content: { "application/json": infer Body } } ? Body : object,
      Exclude<Query, undefined>
    >
  : never;

type KeyOf<Union> = Union extends unknown ? keyof Union : never;
type ValueOf<Union, Key> = Union extends unknown ? (Key extends keyof Union ? Union[Key] : never) : never;
type RequiredOf<T> = { [Key in keyof T as object extends Pick<T, Key> ? never : Key]: T[Key] };

/** The fields with a value that is not accepted; `alone` if the required fields of the contract of Prisma's Management API are not enough. */
type Refused<Ours, Theirs> =
  | {
      [Key in KeyOf<Theirs>]: [ValueOf<Theirs, Key>] extends [ValueOf<Ours, Key> | undefined] ? never : Key;
    }[KeyOf<Theirs>]
  | ([RequiredOf<Theirs>] extends [Ours] ? never : "alone");

type RejectedIn<Name extends string, Ours, Theirs> =
  Ours extends Sent<infer OurBody, infer OurQuery>
    ? Theirs extends Sent<infer TheirBody, infer TheirQuery>
      ? `${Name} ${(Refused<OurBody, TheirBody> | Refused<OurQuery, TheirQuery>) & string}`
      : never
    : never;

type AllRejected = {
  [P in Path]: {
    [M in Method]: RejectedIn<
      `${M} ${P}`,
      SentBy<OperationOf<paths, P, M>>,
      SentBy<OperationOf<PublicPaths, P, M>>
    >;
  }[Method];
}[Path];

/** The calls that the page about migration names. */
type Named =
  | "post /v1/apps/{appId}/promote alone"
  | "post /v1/services/{serviceId}/promote alone"
  | "post /v1/databases branchId"
  | "post /v1/databases branchGitName"
  | "patch /v1/databases/{databaseId} branchId"
  | "patch /v1/databases/{databaseId} branchGitName"
  | "patch /v1/projects/{id} settings";

type None<Names extends never> = Names;
export type AllAreNamed = None<Exclude<AllRejected, Named>>;
export type NamedAreAll = None<Exclude<Named, AllRejected>>;
