import { randomBytes } from "node:crypto";
import { type LoginAttempt, type TokenStore, memoryStore } from "@mgmt/sdk/auth";
import type { Request, Response } from "express";

/** What the server keeps of one browser. */
export interface Session {
  /** The login that the browser has begun. */
  attempt?: LoginAttempt | undefined;
  /** The user's login. */
  store: TokenStore;
}

export interface Sessions {
  find(request: Request): Session | undefined;
  open(response: Response): Session;
  /** The same session under another id: who knew the one before the login does not get into it. */
  renew(request: Request, response: Response): void;
  /** Forgets the session, and gives what it was. */
  close(request: Request, response: Response): Session | undefined;
}

const name = "session";

/**
 * Sessions in this process, each found by a random id in a cookie that no script reads. An app with many users or processes
 * keeps them in its database, encrypted, and lets them end; `TokenStore` is then its own, with a `lock`.
 */
export const createSessions = ({ secure }: { secure: boolean }): Sessions => {
  const sessions = new Map<string, Session>();
  const cookie = { httpOnly: true, sameSite: "lax", secure, path: "/" } as const;

  const idOf = (request: Request): string =>
    new RegExp(`(?:^|; )${name}=([\\w-]+)`).exec(request.headers.cookie ?? "")?.[1] ?? "";
  const keep = (session: Session, response: Response): Session => {
    const id = randomBytes(32).toString("base64url");
    sessions.set(id, session);
    response.cookie(name, id, cookie);
    return session;
  };
  const forget = (request: Request): Session | undefined => {
    const session = sessions.get(idOf(request));
    sessions.delete(idOf(request));
    return session;
  };

  return {
    find: (request) => sessions.get(idOf(request)),
    open: (response) => keep({ store: memoryStore() }, response),
    renew: (request, response) => {
      const session = forget(request);
      if (session) keep(session, response);
    },
    close: (request, response) => {
      response.clearCookie(name, cookie);
      return forget(request);
    },
  };
};
