import { defineConfig } from "vitest/config";

export default defineConfig({
  define: { __BUILD__: JSON.stringify("test") },
  test: {
    environment: "node",
    include: ["tests/*.test.ts"],
    // Only what hangs may end a test: they run beside others on busy machines.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
  plugins: [
    {
      // The build bundles the worker; the tests bring a worker of their own.
      name: "worker-text",
      enforce: "pre",
      resolveId: (id) => (id.endsWith("?worker-text") ? "\0worker-text" : undefined),
      load: (id) => (id === "\0worker-text" ? "export default ''" : undefined),
    },
  ],
});
