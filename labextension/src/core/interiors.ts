/** What operators stand for: functions that come apart from the scene, and are put into their nodes. Python does the same. */
import { type GroupContent, groupContents } from "./card";
import { type Loaded, textOf } from "./reading";
import { at, type Box, type Edge, type Group, type Scene, SceneError, sceneOf } from "./scene";

export interface Interior {
  /** The id of the node. */
  readonly owner: string;
  readonly inside: Scene;
  readonly contents: readonly GroupContent[];
  /** As it came. */
  readonly line: string;
}

/** Those that came; what is known already is not read again. */
export async function readInteriors(
  bytes: DataView | undefined,
  known: readonly Interior[],
): Promise<readonly Interior[]> {
  if (!bytes || bytes.byteLength === 0) return [];
  const lines = (await textOf(bytes)).split("\n");
  const byLine = new Map(known.map((interior) => [interior.line, interior]));
  return lines.map((line) => byLine.get(line) ?? interiorOf(line));
}

export function interiorOf(line: string): Interior {
  const [owner, columns] = JSON.parse(line) as [string, unknown];
  if (typeof owner !== "string") throw new SceneError("a function came without its node");
  const inside = sceneOf(columns);
  return { owner, inside, contents: groupContents(inside), line };
}

/**
 * The scene with functions behind all else that it has: the boxes that were there keep their places. A node may be in a
 * function that comes before; what no node of the scene stands for is left out.
 */
export function withInteriors(loaded: Loaded, interiors: readonly Interior[]): Loaded {
  if (interiors.length === 0) return loaded;
  const { scene } = loaded;
  const groups: Group[] = [...scene.groups];
  const boxes: Box[] = [...scene.boxes];
  const edges: Edge[] = [...scene.edges];
  const contents: GroupContent[] = [...loaded.contents];
  const initializers = new Map(scene.initializers);
  const boxOfId = new Map(scene.boxOfId);
  const edgesOfValue = new Map(scene.edgesOfValue);
  const edgesInto = [...scene.edgesInto];
  const edgesOutOf = [...scene.edgesOutOf];
  const ownedBy = new Map(scene.ownedBy);
  for (const interior of interiors) {
    const owner = boxOfId.get(interior.owner);
    if (owner === undefined) continue;
    const { inside } = interior;
    const [group, box, edge] = [groups.length, boxes.length, edges.length];
    const shifted = (by: number, places: readonly number[]) => places.map((place) => place + by);
    for (const each of inside.groups) {
      const isFirst = each.parent < 0;
      const parent = isFirst ? at(boxes, owner).group : each.parent + group;
      const own = isFirst ? owner : each.owner < 0 ? -1 : each.owner + box;
      if (own >= 0) ownedBy.set(own, [...(ownedBy.get(own) ?? []), groups.length]);
      groups.push({ ...each, parent, owner: own });
    }
    for (const each of inside.boxes) {
      boxOfId.set(each.id, boxes.length);
      boxes.push({ ...each, group: each.group + group });
    }
    for (const each of inside.edges)
      edges.push({ ...each, source: each.source + box, target: each.target + box });
    for (const [name, each] of inside.initializers)
      initializers.set(name, {
        ...each,
        boxes: shifted(box, each.boxes),
        group: each.group + group,
      });
    for (const [value, places] of inside.edgesOfValue)
      edgesOfValue.set(value, shifted(edge, places));
    edgesInto.push(...inside.edgesInto.map((places) => shifted(edge, places)));
    edgesOutOf.push(...inside.edgesOutOf.map((places) => shifted(edge, places)));
    contents.push(
      ...interior.contents.map((each) => ({
        ...each,
        alike: shifted(group, each.alike),
        near: shifted(group, each.near),
      })),
    );
  }
  const joined = { initializers, boxOfId, edgesOfValue, edgesInto, edgesOutOf, ownedBy };
  return { scene: { ...scene, groups, boxes, edges, ...joined }, contents };
}
