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
    const inner = level.frame.children.flatMap((child) => {
      const laid = child.kind === "frame" ? levels.get(child) : undefined;
      return child.kind === "frame" && laid ? [{ child, laid }] : [];
    });
    if (inner.length === 0) continue;
    const placeOf = horizontalPlaces(plan, geometry);
    const into = byFrame(level.arcs, ({ to }) => to);
    const outOf = byFrame(level.arcs, ({ from }) => from);
    for (const { child, laid } of inner) {
      const ins = wiresBy(into.get(child) ?? [], (arc) => placeOf(arc.from));
      const outs = wiresBy(outOf.get(child) ?? [], (arc) => placeOf(arc.to));
      if (ins.length > MOST_PORTS || outs.length > MOST_PORTS) continue;
      const now = horizontalPlaces(laid.plan, laid.geometry);
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

/** The arcs of a level by the frame at one of their ends. */
function byFrame(arcs: readonly Arc[], endOf: (arc: Arc) => Arc["from"]): Map<FrameItem, Arc[]> {
  const found = new Map<FrameItem, Arc[]>();
  for (const arc of arcs) {
    const end = endOf(arc);
    if (end.kind !== "item" || end.item.kind !== "frame" || arc.edges.length === 0) continue;
    const known = found.get(end.item);
    if (known) known.push(arc);
    else found.set(end.item, [arc]);
  }
  return found;
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
function wiresBy(arcs: readonly Arc[], placeOf: (arc: Arc) => number): string[] {
  const places = new Map<string, number[]>();
  for (const arc of arcs) {
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
