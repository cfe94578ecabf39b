/** What the control surface refuses, with the status that it answers over HTTP. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  constructor(
    readonly status: 400 | 403 | 404 | 405 | 409 | 413,
    message: string,
  ) {
    super(message);
  }
}
