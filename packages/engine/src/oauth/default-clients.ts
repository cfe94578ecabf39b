import { computeDigest } from "../values/digest.js";
import type { Store } from "../store/store.js";

/** The OAuth client of the command-line interface: public, with a redirect URI on any port of loopback. */
export const cliClient = {
  id: "itgr_mgmtcommandlineinterface",
  name: "mgmt CLI",
  redirectUris: ["http://127.0.0.1/callback"],
} as const;

/**
 * A confidential client for experiments. Its secret is public, which is safe because the secret is useless
 * without a code, and codes are issued on loopback only.
 */
export const sampleClient = {
  id: "itgr_mgmtsamplewebapplication",
  name: "Sample web app",
  redirectUris: ["http://localhost:3000/callback", "http://127.0.0.1:3000/callback"],
  secret: "sample-web-app-secret-known-to-all",
} as const;

/** Registers the default clients. */
export const registerDefaultClients = (store: Pick<Store, "clients">, createdAt: number): void => {
  for (const { id, name, redirectUris, ...client } of [cliClient, sampleClient]) {
    const secretHash = "secret" in client ? computeDigest(client.secret) : null;
    store.clients.insert({ id, createdAt, name, redirectUris: [...redirectUris], secretHash });
  }
};
