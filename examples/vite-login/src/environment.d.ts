/// <reference types="vite/client" />

/** The variables that Vite copies into the page. */
interface ImportMetaEnv {
  readonly VITE_MGMT_BASE_URL?: string;
  readonly VITE_MGMT_AUTH_URL?: string;
  readonly VITE_MGMT_CLIENT_ID?: string;
}
