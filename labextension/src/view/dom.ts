/** Elements with attributes. Text from a model only ever becomes a text node. */
import { pieces } from "../core/breaks";

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Child = Node | string | undefined;

export const SVG = "http://www.w3.org/2000/svg";

function fill<E extends Element>(
  element: E,
  attributes: Attributes,
  children: readonly Child[],
): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== undefined) element.append(child);
  return element;
}

export function html<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** A text in which a line ends behind the signs of a long name, before it breaks a word. */
export function breaking(text: string): Child[] {
  return pieces(text).flatMap((piece, i) => (i === 0 ? piece : [html("wbr"), piece]));
}

/** Puts other children into an element. If one that goes has the focus, what is around it gets it: keys stay in there. */
export function replace(element: Element, ...children: Child[]): void {
  const focused = element.matches(":focus-within");
  element.replaceChildren(...children.filter((child) => child !== undefined));
  if (focused) element.closest<HTMLElement>("[tabindex]")?.focus({ preventScroll: true });
}

/** The nearest element at or above an event's target that carries an attribute. */
export function closest(event: Event, attribute: string): Element | undefined {
  const { target } = event;
  return (target instanceof Element ? target.closest(`[${attribute}]`) : null) ?? undefined;
}
