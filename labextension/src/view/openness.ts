/** Which groups stand open, and which one is the whole view. Each change is drawn. */
import {
  firstExpansion,
  groupsAround,
  oneLevelLess,
  oneLevelMore,
  toggled,
} from "../core/expansion";
import { groupIn, groupsIn } from "../core/same_graph";
import type { Scene } from "../core/scene";
import type { Aim } from "./stage";

export class Openness {
  #expanded: ReadonlySet<number> = new Set([0]);
  #entered = 0;
  readonly #draw: (aim: Aim) => void;

  constructor(draw: (aim: Aim) => void) {
    this.#draw = draw;
  }

  get expanded(): ReadonlySet<number> {
    return this.#expanded;
  }

  /** The group that is the whole view; 0 for the graph. */
  get entered(): number {
    return this.#entered;
  }

  /** Another graph: as it is wanted, or as it is seen first. It is not drawn yet. */
  begin(scene: Scene, expanded?: ReadonlySet<number>): void {
    this.#expanded = expanded ?? firstExpansion(scene);
    this.#entered = 0;
  }

  /** The same graph in another scene. It is not drawn yet. */
  follow(before: Scene, after: Scene): void {
    this.#expanded = groupsIn(before, after, this.#expanded);
    this.#entered = groupIn(before, after, this.#entered);
  }

  /** Shows these groups open, and this one as the whole view. */
  show(expanded: ReadonlySet<number>, entered: number, aim: Aim): void {
    this.#expanded = expanded;
    this.#entered = entered;
    this.#draw(aim);
  }

  /** Opens groups with the next drawing. */
  open(groups: readonly number[]): void {
    this.#expanded = new Set([...this.#expanded, ...groups]);
  }

  toggle(...groups: number[]): void {
    const [first] = groups;
    if (first === undefined) return;
    for (const group of groups) this.#expanded = toggled(this.#expanded, group);
    this.#draw({ kind: "hold", group: first });
  }

  /** Makes a group the whole view, with what is joined to it around it. */
  enter(group: number): void {
    this.#entered = group;
    this.open([group]);
    this.#draw({ kind: "first" });
  }

  /** What stood open before; false when it still does, so that nothing is drawn. */
  restore(expanded: ReadonlySet<number>, entered: number, aim: Aim): boolean {
    if (expanded === this.#expanded && entered === this.#entered) return false;
    this.show(expanded, entered, aim);
    return true;
  }

  /** Opens a group and what hides it; false when it can be seen. */
  revealGroup(scene: Scene, group: number, box: number): boolean {
    const around: number[] = [];
    for (let g = group; g > 0; g = scene.groups[g]?.parent ?? 0) around.unshift(g);
    return this.#reveal(around, box);
  }

  /** What is drawn already stands open, whatever was to be opened. */
  put(expanded: ReadonlySet<number>, entered: number): void {
    this.#expanded = expanded;
    this.#entered = entered;
  }

  /** Opens what hides a box; false when nothing does. */
  reveal(scene: Scene, box: number): boolean {
    return this.#reveal(groupsAround(scene, box), box);
  }

  #reveal(around: readonly number[], box: number): boolean {
    const closed = around.filter((group) => !this.#expanded.has(group));
    const elsewhere = this.#entered > 0 && !around.includes(this.#entered);
    if (closed.length === 0 && !elsewhere) return false;
    if (elsewhere) this.#entered = 0;
    this.open(closed);
    this.#draw({ kind: "box", box });
    return true;
  }

  changeLevel(scene: Scene, more: boolean, box: number | undefined): void {
    this.#expanded = (more ? oneLevelMore : oneLevelLess)(scene, this.#expanded);
    this.#draw(box === undefined ? { kind: "first" } : { kind: "box", box });
  }
}
