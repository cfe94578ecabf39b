/**
 * Thrown by the first transaction of a request when another process has changed the state that all requests depend on: keys, clock, rate
 * limit or faults. The request has changed nothing yet, and runs again from its start.
 */
export class StateChangedError extends Error {
  override readonly name = "StateChangedError";

  constructor() {
    super("The state of the server has changed since the request arrived");
  }
}
