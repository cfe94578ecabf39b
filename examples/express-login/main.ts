import { createApp } from "./app.js";

/** Runs the app: `npx tsx main.ts`. By default it uses `mgmt dev` on this machine and its sample OAuth client. */
const {
  MGMT_BASE_URL: baseUrl = "http://127.0.0.1:4300",
  MGMT_AUTH_URL: authUrl = baseUrl,
  CLIENT_ID: clientId = "itgr_mgmtsamplewebapplication",
  CLIENT_SECRET: clientSecret = "sample-web-app-secret-known-to-all",
  PORT: port = "3000",
  APP_URL: appUrl = `http://127.0.0.1:${port}`,
} = process.env;

createApp({ baseUrl, authUrl, clientId, clientSecret, appUrl }).listen(Number(port), "127.0.0.1", (error) => {
  if (error) throw error;
  console.log(`Open ${appUrl}`);
});
