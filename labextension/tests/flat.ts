/** A large scene without groups, made by rule. */
import type { Category } from "../src/protocol/scene";
import { SceneBuilder } from "./scenes";

/** A graph without any scopes: stages of parallel branches, with skips of all lengths. */
export function flat(nodes: number, seed = 1): SceneBuilder {
  const b = new SceneBuilder(`flat_${nodes}.onnx`);
  let state = seed;
  const random = () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
  const kinds: [string, Category][] = [
    ["Conv", "convolution"],
    ["Relu", "activation"],
    ["Add", "elementwise"],
    ["Concat", "tensor"],
    ["MaxPool", "pooling"],
  ];
  b.input("x", "float32[1, 3, 640, 640]");
  const values = ["x"];
  for (let i = 0; i < nodes; i++) {
    const [op, category] = kinds[Math.floor(random() * kinds.length)] ?? ["Relu", "activation"];
    const fan = op === "Add" || op === "Concat" ? 2 : 1;
    const inputs = Array.from({ length: fan }, () => {
      const near = 1 + Math.floor(random() ** 3 * 6);
      const far = random() < 0.01 ? Math.floor(random() * values.length) : near;
      return values[Math.max(0, values.length - Math.max(1, far))] ?? "x";
    });
    const value = `v${i}`;
    b.node(
      op,
      `${op}_${i}`,
      [...new Set(inputs)],
      [[value, `float32[1, ${16 + (i % 64)}, 80, 80]`]],
      {
        category,
        detail: op === "Conv" ? "3×3" : "",
      },
    );
    values.push(value);
  }
  b.output(values.at(-1) ?? "x");
  return b;
}
