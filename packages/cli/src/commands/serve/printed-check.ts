/** The result of a check of `mgmt serve check`. */
export interface PrintedServeCheck {
  readonly name: string;
  /** A service with a failure does not start. One with a warning does. */
  readonly status: "ok" | "warning" | "failure";
  readonly message: string;
  readonly hint?: string;
  /** SQL for an administrator of Postgres to run. */
  readonly statement?: string;
}
