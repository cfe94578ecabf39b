import type { EngineOptions, Server } from "@mgmt/engine";
import {
  type RunningServer as EngineServer,
  type ServerOptions,
  createServer as createEngineServer,
} from "@mgmt/engine/http";
import { NodeMock } from "./node-mock.js";

/** A mock that is reached over HTTP. */
export class ServedMock extends NodeMock {
  override start(): void {
    this.isClosed = false;
    super.start();
  }

  override async stop(): Promise<void> {
    this.isClosed = true;
    await super.stop();
  }
}

export type RunningServer<E extends Server = ServedMock> = EngineServer<E>;

const inMemory =
  (options: EngineOptions = {}) =>
  ({ baseUrl }: { baseUrl: string }): ServedMock =>
    new ServedMock({ ...options, settings: { baseUrl, ...options.settings } });

/**
 * Starts the reference server on `node:http`. Rejects with the system's error when the port is in use, or
 * with the error that `createEngine` throws; in both cases nothing is left listening. Rejects with a `TypeError` for an option
 * that does not exist.
 */
export const createServer = <E extends Server = ServedMock>(
  options: ServerOptions<E> = {},
): Promise<RunningServer<E>> =>
  createEngineServer<E>({
    // Without `createEngine`, `E` is its default.
    createEngine: inMemory(options.engineOptions) as unknown as NonNullable<ServerOptions<E>["createEngine"]>,
    ...options,
  });
