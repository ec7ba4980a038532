import { LayoutEngine } from "./engine";

declare const __BUILD__: string;

interface SharedEngine {
  readonly engine: LayoutEngine;
  users: number;
}

// Widgets and documents have a module each, so that module variables are not shared between them.
const KEY = Symbol.for(`onnx-explorer.layout.${__BUILD__}`);

export interface EngineLease {
  readonly engine: LayoutEngine;
  release(): void;
}

/** The page's one engine; it ends with its last user. */
export function leaseEngine(): EngineLease {
  const known = Reflect.get(globalThis, KEY) as SharedEngine | undefined;
  const shared = known ?? { engine: new LayoutEngine(), users: 0 };
  if (!known) Reflect.set(globalThis, KEY, shared);
  shared.users++;
  shared.engine.start();
  let leased = true;
  return {
    engine: shared.engine,
    release: () => {
      if (!leased) return;
      leased = false;
      shared.users--;
      if (shared.users > 0) return;
      shared.engine.dispose();
      Reflect.deleteProperty(globalThis, KEY);
    },
  };
}
