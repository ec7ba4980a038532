/** Where a run goes into the graph of a node, the drawing opens it; where it comes out, the view is as it was. */
import { groupsAround } from "../core/expansion";
import { groupsAt, pathsOf } from "../core/group_paths";
import { at, type Scene } from "../core/scene";
import { focusOf } from "../core/stepping";
import type { Zoom } from "../core/viewport";
import type { StepState } from "../protocol/messages";
import type { Openness } from "./openness";
import type { Stage } from "./stage";

/** Drawings of more cards are not laid out anew around an open node: its graph becomes the whole view. */
const MANY_CARDS = 150;
/** What an operator stands for is joined to nothing around it, so that less is lost where it is looked at alone. */
const MANY_CARDS_AROUND_OPERATOR = 60;

/** What stands open and is looked at; groups by their paths, as another scene may come meanwhile. */
interface View {
  readonly expanded: readonly string[];
  readonly entered: string;
}

/** Open groups, and the one that is the whole view, by their places. */
interface Opened {
  readonly expanded: ReadonlySet<number>;
  readonly entered: number;
}

interface Way {
  /** Of the graph that was gone into. */
  readonly path: string;
  readonly before: View;
  readonly zoom: Zoom;
  readonly after: View;
}

export class Following {
  readonly #openness: Openness;
  readonly #stage: Stage;
  #ways: Way[] = [];
  /** Of the innermost graph that was followed. */
  #path = "";

  constructor(openness: Openness, stage: Stage) {
    this.#openness = openness;
    this.#stage = stage;
  }

  /** Another graph: nothing leads back from it. */
  forget(): void {
    this.#ways = [];
    this.#path = "";
  }

  /** Whether the drawing is made anew, so that the node that runs next comes into view with it. */
  follow(scene: Scene, state: StepState): boolean {
    const path = state.frames?.at(-1)?.path ?? "";
    if (path === this.#path) return false;
    const box = focusOf(scene, state);
    // What is inside an operator comes with a scene of its own.
    if (path !== "" && box === undefined) return false;
    this.#path = path;
    const left = this.#leave(scene, path);
    const entered = box !== undefined && path !== "" && this.#enter(scene, path, box);
    if (left && !entered)
      this.#openness.show(this.#groups(scene, left.view), this.#group(scene, left.view), {
        kind: "zoom",
        zoom: left.zoom ?? this.#stage.zoom,
        box,
      });
    return entered || left !== undefined;
  }

  /** Back through the ways that led into graphs which are through. */
  #leave(scene: Scene, path: string): { view: View; zoom: Zoom | undefined } | undefined {
    let view = this.#view(scene);
    let zoom: Zoom | undefined;
    let touched = false;
    let left = false;
    for (let way = this.#ways.at(-1); way && !path.startsWith(way.path); way = this.#ways.at(-1)) {
      this.#ways.pop();
      left = true;
      if (same(view, way.after)) {
        view = way.before;
        zoom = way.zoom;
      } else {
        // What a person has opened or closed meanwhile stays so.
        touched = true;
        const opened = new Set(way.after.expanded);
        for (const known of way.before.expanded) opened.delete(known);
        const expanded = view.expanded.filter((group) => !opened.has(group));
        const entered = view.entered === way.after.entered ? way.before.entered : view.entered;
        view = { expanded, entered };
      }
    }
    return left ? { view, zoom: touched ? undefined : zoom } : undefined;
  }

  #enter(scene: Scene, path: string, box: number): boolean {
    const [before, { zoom }] = [this.#view(scene), this.#stage];
    if (!this.show(scene, box)) return false;
    this.#ways.push({ path, before, zoom, after: this.#view(scene) });
    return true;
  }

  /** Opens the graph of a node that a box is in, with what is around it; false where it can be seen. */
  show(scene: Scene, box: number): boolean {
    const opened = this.opened(scene, box);
    if (opened) this.#openness.show(opened.expanded, opened.entered, { kind: "box", box });
    return opened !== undefined;
  }

  /** What `show` opens. */
  opened(scene: Scene, box: number): Opened | undefined {
    const around = groupsAround(scene, box);
    const inner = around.findLast((group) => at(scene.groups, group).owner >= 0);
    if (inner === undefined) return undefined;
    const { expanded, entered } = this.#openness;
    const seen = entered === 0 || around.includes(entered);
    if (seen && around.every((group) => expanded.has(group))) return undefined;
    const most =
      at(scene.groups, inner).kind === "operator" ? MANY_CARDS_AROUND_OPERATOR : MANY_CARDS;
    const many = (this.#stage.picture?.cards.length ?? 0) > most;
    return {
      expanded: new Set([...expanded, ...around]),
      entered: many ? inner : seen ? entered : 0,
    };
  }

  #view(scene: Scene): View {
    const { expanded, entered } = this.#openness;
    const [name = ""] = pathsOf(scene, new Set([entered]));
    return { expanded: pathsOf(scene, expanded), entered: name };
  }

  #groups(scene: Scene, { expanded }: View): ReadonlySet<number> {
    return groupsAt(scene, expanded);
  }

  #group(scene: Scene, { entered }: View): number {
    return entered === "" ? 0 : ([...groupsAt(scene, [entered])][1] ?? 0);
  }
}

function same(a: View, b: View): boolean {
  return a.entered === b.entered && JSON.stringify(a.expanded) === JSON.stringify(b.expanded);
}
