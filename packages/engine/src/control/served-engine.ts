import type { ControlledEngine } from "./controlled-engine.js";
import type { BodyPolicy } from "../request/engine.js";
import type { EngineRequest, EngineResponse } from "../request/message.js";
import type { Settings } from "../request/settings.js";

/** An engine that an HTTP server can serve. */
export interface ServedEngine extends ControlledEngine {
  readonly settings: Settings;
  /** Handles a request. Returns a promise only when a step has to wait. Never throws or rejects. */
  handle(request: EngineRequest): EngineResponse | Promise<EngineResponse>;
  /** Returns how to read the body of a request with this method and path. */
  bodyPolicy(method: string, path: string): BodyPolicy;
  /** Stops starting background work. Resolves when the running work is done. */
  stop(): Promise<void>;
}
