import { encodeError, errorResponseType, fieldTypes } from "./error-response.js";
import { LoginRejectedError, cannotConnectNow } from "@mgmt/cluster/connection/login-rejected";

/**
 * An error that the proxy sends to a client instead of Postgres, as an ErrorResponse of severity FATAL
 * ([message formats](https://www.postgresql.org/docs/current/protocol-message-formats.html)).
 */
export class Rejection extends LoginRejectedError {
  override readonly name = "Refusal";

  /** Returns the bytes of the ErrorResponse. */
  encode(): Buffer {
    const hint = this.hint === undefined ? [] : [`${fieldTypes.hint}${this.hint}`];
    return encodeError([
      `${fieldTypes.severity}FATAL`,
      `${fieldTypes.untranslatedSeverity}FATAL`,
      `${fieldTypes.code}${this.code}`,
      `${fieldTypes.message}${this.message}`,
      ...hint,
    ]);
  }
}

/** Returns the error to send to a client; undefined for an error that clients must not see. */
export const toRejection = (error: unknown): Rejection | undefined => {
  if (error instanceof Rejection) return error;
  return error instanceof LoginRejectedError
    ? new Rejection(error.code, error.message, error.hint)
    : undefined;
};

/** Responds to an HTTP client. */
class HttpRejection extends Rejection {
  override encode(): Buffer {
    const body = `${this.message}\n`;
    return Buffer.from(
      `HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\ncontent-length: ${String(body.length)}\r\n` +
        `connection: close\r\n\r\n${body}`,
    );
  }
}

const protocolViolation = "08P01";

/** Builds every error that the proxy sends. */
export const rejections = {
  invalidLength: () => new Rejection(protocolViolation, "invalid length of startup packet"),
  invalidLayout: () =>
    new Rejection(protocolViolation, "invalid startup packet layout: expected terminator as last byte"),
  unencryptedData: () =>
    new Rejection(protocolViolation, "received unencrypted data after SSL or GSSAPI request"),
  repeatedRequest: () => new Rejection(protocolViolation, "encryption was requested more than once"),
  unsupportedProtocol: (major: number, minor: number) =>
    new Rejection(
      "0A000",
      `unsupported frontend protocol ${String(major)}.${String(minor)}: server supports 3.0 to 3.2`,
    ),
  noUser: () => new Rejection("28000", "no PostgreSQL user name specified in startup packet"),
  /** @param databaseName as the bytes of the client, in Latin-1. */
  noDatabase: (databaseName: string) =>
    new Rejection(
      "3D000",
      `database "${Buffer.from(databaseName, "latin1").toString("utf8")}" does not exist`,
      "This login reaches only its own database: name postgres, or none. `mgmt databases create` creates another database, " +
        "which has its own connection string.",
    ),
  http: () =>
    new HttpRejection(protocolViolation, "This port accepts Postgres connections. The API has another port."),
  /** The error that a fault asks for. */
  fault: ({
    code = cannotConnectNow,
    message = "the connection was refused by a fault",
  }: {
    code?: string | undefined;
    message?: string | undefined;
  }) => new Rejection(code, message),
  restarting: () =>
    new Rejection(
      cannotConnectNow,
      "the database server is restarting",
      "Try again in a few seconds. If the error persists, read the log of the platform.",
    ),
  stopping: () => new Rejection("57P01", "the database server is shutting down"),
};

/**
 * Returns the SQLSTATE of a complete ErrorResponse, or undefined for other and for incomplete messages.
 *
 * @param bytes the first bytes that a server sends.
 */
export const parseSqlState = (bytes: Buffer): string | undefined => {
  if (bytes[0] !== errorResponseType || bytes.length < 5 || bytes.length < 1 + bytes.readUInt32BE(1)) {
    return undefined;
  }
  const fields = bytes.toString("latin1", 5, 1 + bytes.readUInt32BE(1)).split("\0");
  return fields.find((field) => field.startsWith(fieldTypes.code))?.slice(1);
};
