import { defineConfig } from "vite";

export const config = defineConfig(({ mode }) => ({
  // It has only the worker script of MSW.
  publicDir: mode === "production" ? false : "public",
  // The page awaits the service at the top level.
  build: { target: "es2022" },
}));

export { config as default };
