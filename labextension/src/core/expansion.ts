/** Which groups stand open: at first sight, and so that something hidden can be seen. */
import { at, type Scene } from "./scene";

/** How many boxes a first sight may hold: a few screens at a size at which everything can be read. */
export const FIRST_SIGHT = 45;

/** Boxes and groups that lie directly in each group. */
function populations(scene: Scene): number[] {
  const population = scene.groups.map(() => 0);
  const add = (group: number) => {
    population[group] = (population[group] ?? 0) + 1;
  };
  for (const { group } of scene.boxes) add(group);
  for (const { parent, owner } of scene.groups) if (parent >= 0 && owner < 0) add(parent);
  return population;
}

export function childGroups(scene: Scene): number[][] {
  const children: number[][] = scene.groups.map(() => []);
  scene.groups.forEach(({ parent }, i) => {
    if (parent >= 0) children[parent]?.push(i);
  });
  return children;
}

/**
 * Opens whole generations at a time, so that siblings look alike, while the boxes stay countable; what is left of
 * the allowance then opens single groups in the file's order.
 */
export function firstExpansion(scene: Scene, limit = FIRST_SIGHT): Set<number> {
  const population = populations(scene);
  const children = childGroups(scene).map((inner) =>
    inner.filter((group) => at(scene.groups, group).kind !== "operator"),
  );
  const expanded = new Set<number>([0]);
  const cost = (group: number) =>
    (population[group] ?? 0) - (at(scene.groups, group).owner < 0 ? 1 : 0);
  let visible = population[0] ?? 0;
  let generation = children[0] ?? [];
  while (generation.length > 0) {
    const added = generation.reduce((sum, group) => sum + cost(group), 0);
    if (visible + added > limit) break;
    visible += added;
    for (const group of generation) expanded.add(group);
    generation = generation.flatMap((group) => children[group] ?? []);
  }
  const queue = [...generation];
  // A generation of many equal siblings stays closed as a whole unless almost nothing would be seen.
  while (queue.length > 0 && visible < limit / 6) {
    const group = queue.shift();
    if (group === undefined) break;
    if (visible + cost(group) > limit) continue;
    visible += cost(group);
    expanded.add(group);
    queue.push(...(children[group] ?? []));
  }
  return expanded;
}

/** The groups that must stand open for a box to be visible, outermost first. */
export function groupsAround(scene: Scene, box: number): number[] {
  const around: number[] = [];
  for (let g = at(scene.boxes, box).group; g > 0; g = at(scene.groups, g).parent) around.unshift(g);
  return around;
}

const FIRST = new WeakMap<Scene, (number | undefined)[]>();

/** The first box in a group, be it in groups below it. */
export function firstBoxIn(scene: Scene, group: number): number | undefined {
  let first = FIRST.get(scene);
  if (!first) {
    first = scene.groups.map(() => undefined);
    for (const [box, { group: own }] of scene.boxes.entries())
      for (let g = own; g > 0 && first[g] === undefined; g = at(scene.groups, g).parent)
        first[g] = box;
    FIRST.set(scene, first);
  }
  return first[group];
}

/** The first box of the function that an operator stands for. */
export function firstBoxInside(scene: Scene, node: string): number | undefined {
  const owned = scene.ownedBy.get(scene.boxOfId.get(node) ?? -1) ?? [];
  const body = owned.find((group) => at(scene.groups, group).kind === "operator");
  return body === undefined ? undefined : firstBoxIn(scene, body);
}

/** The same set with one group toggled; closing a group forgets nothing of what was open inside it. */
export function toggled(expanded: ReadonlySet<number>, group: number): Set<number> {
  const next = new Set(expanded);
  if (group > 0 && !next.delete(group)) next.add(group);
  return next;
}

/** The set with the outermost closed generation opened too. */
export function oneLevelMore(scene: Scene, expanded: ReadonlySet<number>): Set<number> {
  const children = childGroups(scene);
  let generation = [0];
  while (generation.length > 0) {
    generation = generation.flatMap((group) => children[group] ?? []);
    if (generation.some((group) => !expanded.has(group)))
      return new Set([...expanded, ...generation]);
  }
  return new Set(expanded);
}

/** The set with the innermost open generation closed. */
export function oneLevelLess(scene: Scene, expanded: ReadonlySet<number>): Set<number> {
  const children = childGroups(scene);
  let innermost: number[] = [];
  let generation = [0];
  while (generation.length > 0) {
    generation = generation
      .flatMap((group) => children[group] ?? [])
      .filter((group) => expanded.has(group));
    if (generation.length > 0) innermost = generation;
  }
  const closed = new Set(innermost);
  return new Set([...expanded].filter((group) => !closed.has(group)));
}
