/** The order in which values should cross a frame's border, by where they come from and go to outside. */
import type { Geometry } from "./geometry";
import type { Arc, FrameItem, Level } from "./levels";
import type { Plan } from "./plan";

export interface PortOrder {
  readonly ins: readonly string[];
  readonly outs: readonly string[];
}

export interface LaidPorts {
  readonly level: Level;
  readonly plan: Plan;
  readonly geometry: Geometry;
}

/** Chains as long as this cost more time than their crossings cost the eye. */
const MOST_PORTS = 30;

/** Orders for the frames whose ports lie otherwise than their surroundings; the others are left as they are. */
export function betterOrders(levels: ReadonlyMap<FrameItem, LaidPorts>): Map<FrameItem, PortOrder> {
  const orders = new Map<FrameItem, PortOrder>();
  for (const { level, plan, geometry } of levels.values()) {
    const placeOf = horizontalPlaces(plan, geometry);
    for (const child of level.frame.children) {
      const inner = child.kind === "frame" ? levels.get(child) : undefined;
      if (child.kind !== "frame" || !inner) continue;
      const ins = wiresBy(
        level.arcs,
        (arc) => endsAt(arc.to, child),
        (arc) => placeOf(arc.from),
      );
      const outs = wiresBy(
        level.arcs,
        (arc) => endsAt(arc.from, child),
        (arc) => placeOf(arc.to),
      );
      if (ins.length > MOST_PORTS || outs.length > MOST_PORTS) continue;
      const now = horizontalPlaces(inner.plan, inner.geometry);
      const isSorted = (kind: "in" | "out", wires: readonly string[]) =>
        wires.every((wire, i) => {
          const before = wires[i - 1];
          return before === undefined || now({ kind, wire: before }) <= now({ kind, wire });
        });
      if (!isSorted("in", ins) || !isSorted("out", outs)) orders.set(child, { ins, outs });
    }
  }
  return orders;
}

function endsAt(end: Arc["from"], frame: FrameItem): boolean {
  return end.kind === "item" && end.item === frame;
}

function horizontalPlaces(plan: Plan, { nodes }: Geometry): (end: Arc["from"]) => number {
  const places = new Map<unknown, number>();
  plan.nodes.forEach((node, i) => {
    const x = nodes[i]?.x ?? 0;
    if (node.kind === "item") places.set(node.item, x);
    else if (node.kind !== "stub") places.set(`${node.kind} ${node.wire}`, x);
  });
  return (end) => places.get(end.kind === "item" ? end.item : `${end.kind} ${end.wire}`) ?? 0;
}

/** The wires of some arcs, ordered by the mean place of their far ends. */
function wiresBy(
  arcs: readonly Arc[],
  belongs: (arc: Arc) => boolean,
  placeOf: (arc: Arc) => number,
): string[] {
  const places = new Map<string, number[]>();
  for (const arc of arcs) {
    if (arc.edges.length === 0 || !belongs(arc)) continue;
    const known = places.get(arc.wire);
    if (known) known.push(placeOf(arc));
    else places.set(arc.wire, [placeOf(arc)]);
  }
  const mean = (wire: string) => {
    const all = places.get(wire) ?? [];
    return all.reduce((sum, x) => sum + x, 0) / Math.max(1, all.length);
  };
  return [...places.keys()].sort((a, b) => mean(a) - mean(b));
}
