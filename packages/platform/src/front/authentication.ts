/** Types of messages that Postgres sends before it has accepted a password: authentication requests, notices and versions. */
const messagesBefore = new Set(["R", "N", "v"].map((type) => type.charCodeAt(0)));

const authenticationOk = 0;

/**
 * Watches the messages of Postgres until it accepts the client ([message
 * formats](https://www.postgresql.org/docs/current/protocol-message-formats.html)).
 */
export class Authentication {
  #unread: Buffer = Buffer.alloc(0);
  #isDecided = false;

  /** Returns true for the bytes with which Postgres has accepted the client. */
  isAcceptedBy(bytes: Buffer): boolean {
    if (this.#isDecided) return false;
    this.#unread = Buffer.concat([this.#unread, bytes]);
    while (this.#unread.length >= 9) {
      const [type = 0] = this.#unread;
      const isAccepted = type === "R".charCodeAt(0) && this.#unread.readUInt32BE(5) === authenticationOk;
      const length = this.#unread.readUInt32BE(1) + 1;
      if (isAccepted || !messagesBefore.has(type)) {
        this.#isDecided = true;
        this.#unread = Buffer.alloc(0);
        return isAccepted;
      }
      if (this.#unread.length < length) return false;
      this.#unread = this.#unread.subarray(length);
    }
    return false;
  }
}
