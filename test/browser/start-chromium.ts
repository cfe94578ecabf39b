import { type BrowserServer, chromium } from "playwright-core";
import { endpointVariable, launchOptions } from "./chromium.js";

let server: BrowserServer | undefined;

/** Starts the Chromium that the files share. Each has contexts of its own, which the end of its connection closes. */
export const setup = async (): Promise<void> => {
  server = await chromium.launchServer(launchOptions());
  process.env[endpointVariable] = server.wsEndpoint();
};

export const teardown = (): Promise<void> | undefined => server?.close();
