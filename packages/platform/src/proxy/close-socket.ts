import type { Socket } from "node:net";

/** Time for data that the other side sends before it learns that the connection is closed, in milliseconds. */
const drainTimeoutMs = 250;

/**
 * Sends the remaining data, and closes the socket.
 *
 * @param timeoutMs how long that may take, in milliseconds.
 */
export const flushAndClose = (socket: Socket, timeoutMs: number): void => {
  if (socket.destroyed) return;
  const timer = setTimeout(() => socket.destroy(), timeoutMs);
  socket.once("close", () => clearTimeout(timer));
  socket.destroySoon();
};

/**
 * Sends the remaining data, closes the connection, and closes the socket. Meanwhile, it drops data from the other side: if the socket
 * closed with unread bytes, the system would reset the connection, and the other side would lose the data that it has not read yet ([RFC
 * 2525, section 2.17](https://www.rfc-editor.org/rfc/rfc2525#section-2.17)).
 *
 * @param timeoutMs how long the other side may take to receive everything, in milliseconds.
 * @param lastBytes sent before the end.
 */
export const endAndDrain = (
  socket: Socket,
  { timeoutMs, lastBytes }: { timeoutMs: number; lastBytes?: Buffer },
): void => {
  if (socket.destroyed) return;
  let timer = setTimeout(() => socket.destroy(), timeoutMs);
  const startDrainTimeout = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => socket.destroy(), drainTimeoutMs);
  };
  if (socket.writableFinished) startDrainTimeout();
  else socket.once("finish", startDrainTimeout);
  socket.once("close", () => {
    socket.off("finish", startDrainTimeout);
    clearTimeout(timer);
  });
  if (lastBytes === undefined) socket.end();
  else socket.end(lastBytes);
  socket.resume();
};
