export type MockErrorCode =
  | "mock:bad_recording"
  | "mock:recording"
  | "mock:upstream_unreachable"
  | "mock:upstream_not_the_api"
  | "mock:bad_flag"
  | "mock:bad_seed"
  | "mock:port_in_use"
  | "mock:msw_missing"
  | "mock:msw_unusable"
  | "mock:sdk_missing"
  | "mock:sdk_unusable"
  | "mock:needs_node"
  | "mock:not_started"
  | "mock:insecure_page"
  | "mock:worker_missing"
  | "mock:workers_blocked"
  | "mock:worker_silent"
  | "mock:worker_replaced"
  | "mock:second_worker"
  | "mock:not_intercepted"
  | "mock:blocked_by_policy"
  | "mock:login_not_kept"
  | "mock:login_unsupported"
  | "mock:page_not_loaded"
  | "mock:storage_denied"
  | "mock:storage_full"
  | "mock:kept_state_unusable"
  | "mock:closed"
  | "mock:second_server"
  | "mock:shadowed_handler"
  | "mock:unmatched_request"
  | "mock:failed_test";

/** An error of the mock itself, as opposed to an error response of the API. */
export class MockError extends Error {
  override readonly name = "MockError";
  constructor(
    readonly code: MockErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
