import { defineConfig } from "vite";

export const config = defineConfig({
  // The page awaits its first calls at the top level.
  build: { target: "es2022" },
});

export { config as default };
