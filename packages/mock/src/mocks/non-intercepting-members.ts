import type { ClientOptions, MgmtClient } from "@mgmt/sdk";
import type { Recording } from "../record/recording.js";
import type { ActiveRecording, RecordOptions, ReplayOptions } from "../record/recordings.js";
import type { OperationParity } from "../record/replay.js";

/** The members of a mock that do not intercept requests, whose types need no MSW. */
export interface NonInterceptingMembers {
  /**
   * Creates a client of the SDK for which time passes by the mock's clock. Its requests go directly to this server, whether or not it
   * is listening. When the client pauses, before a retry or a poll, it does not wait: it moves the clock, and the jobs that fall
   * due on the way run. Its deadlines pass only when the clock is moved, so neither slow tests nor fake timers end a call early.
   *
   * @param options the options of the client. Default: `clientOptions()`.
   * @throws MockError `mock:sdk_missing` when the SDK is not installed, `mock:sdk_unusable` when it cannot be loaded for another reason.
   */
  client(options?: ClientOptions): MgmtClient;

  /** Base URL of the API, without a trailing slash and without `/v1`. */
  readonly baseUrl: string;

  /** Base URL of the authorization server, without a trailing slash. */
  readonly authUrl: string;

  /**
   * Returns the options that `client` uses, for programs that create the client themselves: the base URL, a token of the first
   * user, signed again before it expires, the `fetch`, and the `timers`.
   */
  clientOptions(): Pick<ClientOptions, "baseUrl" | "token" | "fetch" | "timers">;

  /** Sends a request directly to this server, whether or not it is listening. Works like the global `fetch`. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

  /**
   * Passes requests on to a real service, and records its responses and their latency. Fields that the contract marks as secret,
   * credentials of requests, and connection strings are masked.
   *
   * @throws MockError `mock:upstream_unreachable` when the service cannot be reached, `mock:upstream_not_the_api` when it does not
   * respond like the API; TypeError for an invalid URL.
   */
  record(options: RecordOptions): Promise<ActiveRecording>;

  /**
   * Creates the resources of a recording, repeats its requests, and returns where this server's responses differ, by operation. The
   * resources stay.
   *
   * @param recording the path of its file, or the recording itself.
   * @throws MockError `mock:bad_recording`, or `mock:recording` while this server records.
   */
  replay(recording: string | Recording, options?: ReplayOptions): Promise<OperationParity[]>;
}
