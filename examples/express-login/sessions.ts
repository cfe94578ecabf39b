import { randomBytes } from "node:crypto";
import { type LoginAttempt, type TokenStore, memoryStore } from "@mgmt/sdk/auth";
import type { Request, Response } from "express";

/** The server-side state of one browser. */
export interface Session {
  /** The login that the browser has started. */
  attempt?: LoginAttempt | undefined;
  /** The user's login. */
  store: TokenStore;
}

export interface Sessions {
  find(request: Request): Session | undefined;
  open(response: Response): Session;
  /** Moves the session to a new id, so that an id known before the login is useless after it. */
  renew(request: Request, response: Response): void;
  /** Deletes the session and returns it. */
  close(request: Request, response: Response): Session | undefined;
}

const name = "session";

/**
 * Keeps sessions in memory, each under a random id in a cookie that scripts cannot read. An app with many users or several
 * processes stores them encrypted in its database, with an expiry, and implements `TokenStore` with a `lock`.
 */
export const createSessions = ({ secure }: { secure: boolean }): Sessions => {
  const sessions = new Map<string, Session>();
  const cookie = { httpOnly: true, sameSite: "lax", secure, path: "/" } as const;

  const idOf = (request: Request): string =>
    new RegExp(`(?:^|; )${name}=([\\w-]+)`).exec(request.headers.cookie ?? "")?.[1] ?? "";
  const save = (session: Session, response: Response): Session => {
    const id = randomBytes(32).toString("base64url");
    sessions.set(id, session);
    response.cookie(name, id, cookie);
    return session;
  };
  const remove = (request: Request): Session | undefined => {
    const session = sessions.get(idOf(request));
    sessions.delete(idOf(request));
    return session;
  };

  return {
    find: (request) => sessions.get(idOf(request)),
    open: (response) => save({ store: memoryStore() }, response),
    renew: (request, response) => {
      const session = remove(request);
      if (session) save(session, response);
    },
    close: (request, response) => {
      response.clearCookie(name, cookie);
      return remove(request);
    },
  };
};
