/** Light or dark, by what the page actually shows behind the widget: every host says it in another way. */

const DARK = "(prefers-color-scheme: dark)";
const FORCED = "(forced-colors: active)";

type Rgb = readonly [red: number, green: number, blue: number, alpha: number];

function parseColour(text: string): Rgb | undefined {
  const numbers = text.match(/[\d.]+/g)?.map(Number);
  if (!text.startsWith("rgb") || !numbers) return undefined;
  const [red = 0, green = 0, blue = 0, alpha = 1] = numbers;
  return [red, green, blue, alpha];
}

function isDark([red, green, blue]: Rgb): boolean {
  return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
}

function behind(element: Element): Rgb | undefined {
  for (let e: Element | null = element; e; e = e.parentElement) {
    const colour = parseColour(getComputedStyle(e).backgroundColor);
    if (colour && colour[3] > 0.5) return colour;
  }
  return undefined;
}

export function themeAt(parent: Element | null): "light" | "dark" {
  // Colours that somebody has chosen for all pages go before those of this one.
  if (matchMedia(FORCED).matches) return matchMedia(DARK).matches ? "dark" : "light";
  const told = document.body?.dataset.jpThemeLight;
  if (told !== undefined) return told === "false" ? "dark" : "light";
  const colour = parent ? behind(parent) : undefined;
  if (colour) return isDark(colour) ? "dark" : "light";
  return matchMedia(DARK).matches ? "dark" : "light";
}

/** Keeps `data-theme` of the root right; returns what ends it. */
export function followTheme(root: HTMLElement, changed: () => void): () => void {
  const update = () => {
    const theme = themeAt(root.parentElement);
    if (root.dataset.theme === theme) return;
    root.dataset.theme = theme;
    changed();
  };
  const observer = new MutationObserver(update);
  const watched = {
    attributes: true,
    attributeFilter: ["class", "style", "data-jp-theme-light", "theme", "data-theme"],
  };
  observer.observe(document.documentElement, watched);
  if (document.body) observer.observe(document.body, watched);
  const queries = [DARK, FORCED].map((query) => matchMedia(query));
  for (const query of queries) query.addEventListener("change", update);
  update();
  return () => {
    observer.disconnect();
    for (const query of queries) query.removeEventListener("change", update);
  };
}
