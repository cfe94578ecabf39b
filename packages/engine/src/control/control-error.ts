/** Thrown when the control surface refuses a request, with the HTTP status of the response. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  constructor(
    readonly status: 400 | 403 | 404 | 405 | 409 | 413,
    message: string,
  ) {
    super(message);
  }
}
