/** Keys pressed inside the explorer, handed to what they ask for. */
import { commandOf, type KeyCommand } from "../core/keys";

/** What each command does. */
export type Commands = {
  readonly [Kind in KeyCommand["kind"]]: (
    command: Extract<KeyCommand, { readonly kind: Kind }>,
  ) => void;
};

const DEBUGGER_KEY = /^F\d+$/;

export function obeyKeys(root: HTMLElement, commands: Commands): void {
  const press = (event: KeyboardEvent, command: KeyCommand | undefined) => {
    if (!command) return;
    // Enter on a button presses the button.
    if (command.kind === "toggle" && event.target instanceof HTMLButtonElement) return;
    event.preventDefault();
    event.stopPropagation();
    obey(commands, command);
  };
  root.addEventListener("keydown", (event) => {
    if (isField(event.target) || DEBUGGER_KEY.test(event.key)) return;
    const command = commandOf(event);
    // The notebook's own: `x` cuts the cell, whatever in it has the focus.
    if (!command && isLetter(event)) event.stopPropagation();
    press(event, command);
  });
  // Also while something is typed, and before the field hears of it: F5 must not load the page anew.
  root.addEventListener(
    "keydown",
    (event) => {
      if (!DEBUGGER_KEY.test(event.key)) return;
      press(event, commandOf(event));
      if (event.shiftKey && event.key === "F10") keepMenuClosed(root);
    },
    { capture: true },
  );
}

function isLetter({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.length === 1 && !ctrlKey && !metaKey && !altKey;
}

function isField(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== "range";
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}

/** Some browsers open the context menu at Shift+F10 although the key was taken. */
function keepMenuClosed(root: HTMLElement): void {
  const close = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  root.addEventListener("contextmenu", close, { capture: true, once: true });
  setTimeout(() => root.removeEventListener("contextmenu", close, { capture: true }), 300);
}

function obey<Kind extends KeyCommand["kind"]>(
  commands: Commands,
  command: Extract<KeyCommand, { readonly kind: Kind }>,
): void {
  const act = commands[command.kind as Kind];
  act(command);
}
