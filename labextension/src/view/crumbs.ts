/** The way from the whole graph to the group that is the whole view. */
import { groupTitle } from "../core/naming";
import { at, type Scene } from "../core/scene";
import { html, replace } from "./dom";

export class Crumbs {
  readonly element = html("nav", { class: "ox-crumbs", "aria-label": "Groups", hidden: true });
  readonly #enter: (group: number) => void;

  constructor(enter: (group: number) => void) {
    this.#enter = enter;
  }

  show(scene: Scene, entered: number): void {
    this.element.hidden = entered === 0;
    const path: number[] = [];
    for (let g = entered; g >= 0; g = at(scene.groups, g).parent) path.unshift(g);
    replace(
      this.element,
      ...path.flatMap((group, i) => {
        const name = groupTitle(scene, group) || "model";
        const here = i === path.length - 1;
        const crumb = html(
          "button",
          { type: "button", class: "ox-link", "aria-current": here ? "location" : undefined },
          name,
        );
        crumb.disabled = here;
        crumb.addEventListener("click", () => this.#enter(group));
        return i === 0 ? [crumb] : [html("span", { "aria-hidden": "true" }, "›"), crumb];
      }),
    );
  }
}
