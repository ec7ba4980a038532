/** Names as they read inside their own group, without what the group around them already says. */
import { at, type Scene } from "./scene";

const isSeparator = (letter: string | undefined) => letter === "/" || letter === ".";

function trimmed(name: string): string {
  return isSeparator(name[0]) ? name.slice(1) : name;
}

function within(name: string, scope: string): string | undefined {
  if (scope === "" || !name.startsWith(scope) || !isSeparator(name[scope.length])) return undefined;
  return name.slice(scope.length + 1) || undefined;
}

/** The part of a scoped name that tells it apart where no group says where it stands. */
export function shortName(name: string): string {
  const parts = name.split("/").filter((part) => part !== "");
  return parts.length > 2 ? parts.slice(-2).join("/") : parts.join("/");
}

export function groupTitle(scene: Scene, group: number): string {
  const { label, parent } = at(scene.groups, group);
  if (parent < 0) return label;
  const around = trimmed(at(scene.groups, parent).label);
  return within(trimmed(label), around) ?? shortName(label) ?? label;
}

/** What follows the scope in a path, wherever the scope begins: a common prefix may have been left out of the labels. */
function after(name: string, scope: string): string | undefined {
  if (scope === "") return undefined;
  const place = `/${name}`.lastIndexOf(`/${scope}/`);
  return place < 0 ? undefined : name.slice(place + scope.length + 1) || undefined;
}

/** Labels may be whole paths or their last parts only: both ways of spelling the scope are tried. */
export function boxName(scene: Scene, box: number): string {
  const { name, group } = at(scene.boxes, box);
  const own = trimmed(name);
  const labels: string[] = [];
  for (let g = group; g > 0; g = at(scene.groups, g).parent)
    labels.unshift(trimmed(at(scene.groups, g).label));
  const [inner, whole] = [labels.at(-1) ?? "", labels.join("/")];
  return after(own, whole) ?? after(own, inner) ?? within(own, inner) ?? shortName(name);
}
