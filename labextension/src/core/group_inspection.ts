/** What the inspector says about a group: what it holds, and in what those beside it differ. */
import { countText, type GroupContent } from "./card";
import { groupsAround } from "./expansion";
import { groupPaths } from "./group_paths";
import { type Inspection, type Line, operatorLines, type Section, section } from "./lines";
import { groupTitle } from "./naming";
import { at, type Scene } from "./scene";
import { type Contrast, MOST_APART, siblingsOf } from "./siblings";
import { bytesText } from "./statistics";
import { weightsIn } from "./weights";

/** Longer lists of differences are no help. */
const MOST = 24;
/** So many kinds of groups stand open at first. */
const MOST_OPEN = 3;

export function inspectGroup(
  scene: Scene,
  contents: readonly GroupContent[],
  group: number,
): Inspection {
  const content = at(contents, group);
  const { kind } = at(scene.groups, group);
  const { same, others, left } = siblingsOf(scene, contents, group);
  const { elements, bytes } = weightsIn(scene, group);
  const facts: [string, string][] = [
    ["Path", at(groupPaths(scene), group)],
    ["Parameters", elements > 0 ? `${elements.toLocaleString("en")} in ${bytesText(bytes)}` : ""],
  ];
  return {
    title: groupTitle(scene, group),
    subtitle: `${kind === "scope" ? "group" : kind} · ${countText(content)}`,
    category: "",
    sections: [
      ...section(
        "Group",
        facts.flatMap(([label, text]) => (text ? [{ kind: "fact", label, text }] : [])),
      ),
      ...others.flatMap((contrast, i) => contrastSection(scene, contrast, i >= MOST_OPEN)),
      ...section(
        `Not compared: ${left.length}`,
        left.length > 0
          ? [
              { kind: "note", text: "So many nodes, or kinds of groups, would take too long." },
              { kind: "groups", groups: left },
            ]
          : [],
        true,
      ),
      ...section(
        `The same inside: ${same.length}`,
        same.length > 0 ? [{ kind: "groups", groups: same }] : [],
      ),
      ...section("Operators", operatorLines(content)),
    ],
  };
}

function contrastSection(
  scene: Scene,
  { groups, differences }: Contrast,
  closed: boolean,
): Section[] {
  const [first = 0, ...more] = groups;
  const like = more.length > 0 ? ` and ${more.length} like it` : "";
  if (!differences) {
    const text =
      `More than ${MOST_APART} nodes are in one of the two alone: ` +
      "they are not compared node by node.";
    const lines: Line[] = [
      { kind: "note", text },
      { kind: "groups", groups },
    ];
    return section(`${groupTitle(scene, first)}${like}: another group`, lines, closed);
  }
  const shown = differences.slice(0, MOST);
  const left = differences.length - shown.length;
  return section(
    `${groupTitle(scene, first)}${like}: ${countOf(differences.length)}`,
    [
      ...shown.map(({ text, there }): Line => ({ kind: "box", label: text, box: there })),
      ...(left > 0 ? [{ kind: "note", text: `and ${left} more differences` } as const] : []),
      { kind: "groups", groups },
    ],
    closed,
  );
}

function countOf(differences: number): string {
  // Groups that differ in what stands between their nodes alone.
  if (differences === 0) return "wired otherwise";
  return differences === 1 ? "1 difference" : `${differences} differences`;
}

/** What a node is in groups beside its own that are otherwise there. */
export function besideSections(
  scene: Scene,
  contents: readonly GroupContent[],
  box: number,
): Section[] {
  for (const group of groupsAround(scene, box).reverse()) {
    const lines = siblingsOf(scene, contents, group).others.flatMap(
      ({ groups, differences = [] }): Line[] =>
        differences
          .filter(({ here }) => here === box)
          .map(({ text, there }) => ({
            kind: "box",
            label: `${groupTitle(scene, groups[0] ?? 0)}: ${text}`,
            box: there,
          })),
    );
    if (lines.length > 0) return section("Otherwise in groups beside", lines.slice(0, MOST));
  }
  return [];
}
