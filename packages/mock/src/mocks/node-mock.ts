import type { ClientOptions, MgmtClient } from "@mgmt/sdk";
import { requireSdk } from "../client/sdk.js";
import { RecordableServer } from "../record/recordable-server.js";

/** A mock in a process. */
export class NodeMock extends RecordableServer {
  /**
   * Creates a client of the SDK for which time passes by the mock's clock. Its requests go directly to this server, whether or not it
   * is listening. When the client pauses, before a retry or a poll, it does not wait: it moves the clock, and the jobs that fall
   * due on the way run. Its deadlines pass only when the clock is moved, so neither slow tests nor fake timers end a call early.
   *
   * @param options of the client. Default: `clientOptions()`.
   * @throws MockError `mock:sdk_missing` when the SDK is not installed.
   */
  client(options: ClientOptions = {}): MgmtClient {
    return requireSdk().createClient({ ...this.clientOptions(), ...options });
  }
}
