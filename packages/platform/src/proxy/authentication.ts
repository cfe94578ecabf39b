const authenticationRequestType = "R".charCodeAt(0);
const noticeResponseType = "N".charCodeAt(0);
const negotiateProtocolVersionType = "v".charCodeAt(0);

/** Types of messages that Postgres sends before it has accepted a password. */
const typesBeforeAcceptance = new Set([
  authenticationRequestType,
  noticeResponseType,
  negotiateProtocolVersionType,
]);

/** The code of an authentication request that accepts the client. */
const authenticationOk = 0;

/**
 * Watches the messages of Postgres until it accepts the client ([message
 * formats](https://www.postgresql.org/docs/current/protocol-message-formats.html)).
 */
export class AuthenticationObserver {
  #unreadBytes: Buffer = Buffer.alloc(0);
  #isDecided = false;

  /** Returns true for the bytes with which Postgres has accepted the client. */
  observeAcceptance(bytes: Buffer): boolean {
    if (this.#isDecided) return false;
    this.#unreadBytes = Buffer.concat([this.#unreadBytes, bytes]);
    // The type, the length, and the code of an authentication request.
    while (this.#unreadBytes.length >= 9) {
      const [type = 0] = this.#unreadBytes;
      const isAccepted =
        type === authenticationRequestType && this.#unreadBytes.readUInt32BE(5) === authenticationOk;
      const messageLength = this.#unreadBytes.readUInt32BE(1) + 1;
      if (isAccepted || !typesBeforeAcceptance.has(type)) {
        this.#isDecided = true;
        this.#unreadBytes = Buffer.alloc(0);
        return isAccepted;
      }
      if (this.#unreadBytes.length < messageLength) return false;
      this.#unreadBytes = this.#unreadBytes.subarray(messageLength);
    }
    return false;
  }
}
