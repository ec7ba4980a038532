/** The names by which Python knows groups: `encoder/layer 1`; a body begins with the id of its node, `loop_1/body`. */
import { at, type Scene } from "./scene";

const KNOWN = new WeakMap<Scene, readonly string[]>();

/** The path of each group; "" is the whole graph. */
export function groupPaths(scene: Scene): readonly string[] {
  let paths = KNOWN.get(scene);
  if (!paths) {
    const made: string[] = [];
    scene.groups.forEach((_, group) => {
      pathOf(scene, group, made);
    });
    paths = made;
    KNOWN.set(scene, paths);
  }
  return paths;
}

/** A parent may stand behind its child: groups that are made of runs of nodes come last. */
function pathOf(scene: Scene, group: number, made: string[]): string {
  const known = made[group];
  if (known !== undefined) return known;
  const { parent, owner, label } = at(scene.groups, group);
  const around =
    owner >= 0 ? at(scene.boxes, owner).id : parent > 0 ? pathOf(scene, parent, made) : "";
  const path = parent < 0 ? "" : around === "" ? label : `${around}/${label}`;
  made[group] = path;
  return path;
}

/** The groups of these paths, and the whole graph; what is not known is passed over. */
export function groupsAt(scene: Scene, paths: readonly string[]): Set<number> {
  const wanted = new Set(paths);
  const groups = groupPaths(scene).flatMap((path, group) => (wanted.has(path) ? [group] : []));
  return new Set([0, ...groups]);
}

/** Where no group stands open the whole graph does: an empty list would say nothing. */
export function pathsOf(scene: Scene, groups: ReadonlySet<number>): string[] {
  const known = groupPaths(scene);
  const paths = [...groups]
    .filter((group) => group > 0 && group < known.length)
    .map((group) => at(known, group));
  return paths.length > 0 ? paths.sort() : [""];
}
