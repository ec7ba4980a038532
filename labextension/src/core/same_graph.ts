/** Scenes of one graph: with other types, or with what is inside of operators that a run has gone into. */
import { groupPaths, groupsAt, pathsOf } from "./group_paths";
import { at, type Scene } from "./scene";
import { readSelection, type Selection, writeSelection } from "./selection";

/** Whether one of the scenes has all boxes of the other. */
export function isSameGraph(before: Scene, after: Scene): boolean {
  const [fewer, more] =
    before.boxes.length <= after.boxes.length ? [before, after] : [after, before];
  return fewer.boxes.every(({ id }) => more.boxOfId.has(id));
}

/** The same groups of another scene. */
export function groupsIn(
  before: Scene,
  after: Scene,
  groups: ReadonlySet<number>,
): ReadonlySet<number> {
  if (before.groups.length === after.groups.length) return groups;
  return groupsAt(after, pathsOf(before, groups));
}

/** The same group; the whole graph where there is none. */
export function groupIn(before: Scene, after: Scene, group: number): number {
  if (before.groups.length === after.groups.length) return group;
  return Math.max(0, groupPaths(after).indexOf(at(groupPaths(before), group)));
}

export function selectionIn(before: Scene, after: Scene, selection: Selection): Selection {
  if (before.boxes.length === after.boxes.length) return selection;
  return readSelection(after, writeSelection(before, selection));
}
