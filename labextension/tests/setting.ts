/** What the core needs from outside, for tests in node: measured texts and a real Graphviz. */
import { Graphviz } from "@hpcc-js/wasm-graphviz";
import { type Arrangement, arrange, LayoutCache, type LayoutText } from "../src/core/arrange";
import { groupContents, type Measure } from "../src/core/card";
import { nest } from "../src/core/levels";
import { draw, type Picture } from "../src/core/picture";
import { type Scene, sceneOf } from "../src/core/scene";
import type { SceneBuilder } from "./scenes";

export const measure: Measure = (text) => text.length * 6;

export function sceneFrom(builder: SceneBuilder): Scene {
  return sceneOf(JSON.parse(builder.json()));
}

type Json0Engine = { layout(dot: string, format: "json0", engine: "dot"): string };

let loading: Promise<Graphviz> | undefined;

export const graphviz: LayoutText = async (dot) => {
  loading ??= Graphviz.load();
  return ((await loading) as unknown as Json0Engine).layout(dot, "json0", "dot");
};

export interface Drawn {
  readonly arrangement: Arrangement;
  readonly picture: Picture;
}

export async function drawn(
  scene: Scene,
  expanded: ReadonlySet<number>,
  layout: LayoutText = graphviz,
  cache = new LayoutCache(),
): Promise<Drawn> {
  const contents = groupContents(scene);
  const around = { scene, contents, expanded, measure, layout, cache };
  const arrangement = await arrange(nest(scene, expanded), around);
  return { arrangement, picture: draw(scene, arrangement, contents, measure) };
}
