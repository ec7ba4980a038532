/** Reads what Graphviz answers (`-Tjson0`) into a geometry with y growing downwards. */
import { type Geometry, headOf, type LayoutGraph, type Point, straight, tailOf } from "./geometry";
import { routeArcs, routesItself } from "./routes";

/** The engine answered something that is not the layout asked for. */
export class GeometryError extends Error {
  override readonly name = "GeometryError";
}

interface Json0 {
  bb?: string;
  objects?: { name?: string; pos?: string }[];
  edges?: { id?: string; pos?: string }[];
}

export function readGeometry(text: string, graph: LayoutGraph): Geometry {
  let answer: Json0;
  try {
    answer = JSON.parse(text) as Json0;
  } catch (error) {
    throw new GeometryError(`Graphviz answered something that is not JSON: ${String(error)}`);
  }
  const [, , width = 0, height = 0] = (answer.bb ?? "").split(",").map(Number);
  const flip = (point: string): Point => {
    const [x = Number.NaN, y = Number.NaN] = point.split(",").map(Number);
    return { x, y: height - y };
  };
  const places = new Map<number, Point>();
  for (const { name, pos } of answer.objects ?? [])
    if (name !== undefined && pos !== undefined) places.set(Number(name), flip(pos));
  const nodes = graph.nodes.map((_, i) => {
    const place = places.get(i);
    if (!place || Number.isNaN(place.x + place.y))
      throw new GeometryError(`Graphviz gave node ${i} of ${graph.nodes.length} no place`);
    return place;
  });
  if (routesItself(graph)) return routedLater(graph, nodes, width, height);
  const curves = new Map<number, Point[]>();
  for (const { id, pos } of answer.edges ?? [])
    if (id !== undefined && pos !== undefined) curves.set(Number(id), readCurve(pos, flip));
  const arcs = graph.arcs.map((arc, i) => {
    const tail = tailOf(graph, arc, nodes);
    const head = headOf(graph, arc, nodes);
    const curve = curves.get(i);
    if (!curve || curve.length < 4) return straight(tail, head);
    // Graphviz prints five digits; the ends are known exactly.
    return [tail, ...curve.slice(1, -1), head];
  });
  return { width, height, nodes, arcs };
}

/** Ways are found when they are drawn: of what is laid out once more, nobody asks for them. */
function routedLater(
  graph: LayoutGraph,
  nodes: readonly Point[],
  width: number,
  height: number,
): Geometry {
  let routed: Geometry["arcs"] | undefined;
  return {
    width,
    height,
    nodes,
    get arcs() {
      routed ??= routeArcs(graph, nodes, width);
      return routed;
    },
  };
}

function readCurve(pos: string, flip: (point: string) => Point): Point[] {
  return pos
    .split(" ")
    .filter((part) => part !== "" && !part.startsWith("e,") && !part.startsWith("s,"))
    .map(flip);
}
