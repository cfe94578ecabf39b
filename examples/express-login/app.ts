import { createClient } from "@mgmt/sdk";
import { AuthError, createAuthenticator, finishLogin, logout, startLogin } from "@mgmt/sdk/auth";
import express, { type ErrorRequestHandler, type Express } from "express";
import { statusOf } from "./error-status.js";
import { escape, page } from "./page.js";
import { createSessions } from "./sessions.js";

export interface AppOptions {
  /** Base URL of the service, without `/v1`. */
  baseUrl: string;
  /** URL of its authorization server. */
  authUrl: string;
  clientId: string;
  clientSecret: string;
  /** Public URL of this app. `<appUrl>/callback` must be registered as a redirect URI of the client. */
  appUrl: string;
}

/** Creates an app whose users log in with their Management API account and see their own projects. */
export const createApp = ({ baseUrl, appUrl, ...oauth }: AppOptions): Express => {
  const app = express();
  const sessions = createSessions({ secure: appUrl.startsWith("https:") });

  app.get("/", async (request, response) => {
    const store = sessions.find(request)?.store;
    if (!store || !(await store.read())) {
      response.send(page('<p><a href="/login">Log in</a></p>'));
      return;
    }
    const { token } = createAuthenticator({ ...oauth, store });
    const projects = await createClient({ baseUrl, token }).projects.list().toArray({ limit: 100 });
    const items = projects.map(({ name }) => `<li>${escape(name)}</li>`).join("");
    const logOut = '<form method="post" action="/logout"><button>Log out</button></form>';
    response.set("cache-control", "no-store").send(page(`<ul>${items}</ul>${logOut}`));
  });

  app.get("/login", async (request, response) => {
    const { url, attempt } = await startLogin({ ...oauth, redirectUri: `${appUrl}/callback` });
    const session = sessions.find(request) ?? sessions.open(response);
    session.attempt = attempt;
    response.redirect(url);
  });

  app.get("/callback", async (request, response) => {
    const session = sessions.find(request);
    if (!session?.attempt) {
      response.status(400).send(page("<p>This browser has not started a login.</p>"));
      return;
    }
    const { attempt, store } = session;
    session.attempt = undefined; // valid only once
    await finishLogin({ ...oauth, attempt, callback: request.originalUrl, store });
    sessions.renew(request, response);
    response.redirect("/");
  });

  app.post("/logout", async (request, response) => {
    const session = sessions.close(request, response);
    if (session) await logout({ ...oauth, store: session.store });
    response.redirect(303, "/");
  });

  const onError: ErrorRequestHandler = (error: unknown, _request, response, next) => {
    if (response.headersSent) return next(error);
    const text = error instanceof AuthError ? `${error.message}. ${error.hint}` : "Try again later.";
    response.status(statusOf(error)).send(page(`<p>${escape(text)}</p><p><a href="/login">Log in</a></p>`));
  };
  app.use(onError);
  return app;
};
