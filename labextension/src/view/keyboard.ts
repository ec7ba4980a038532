/** Keys pressed inside the explorer, handed to what they ask for. */
import { commandOf, type KeyCommand } from "../core/keys";

/** What each command does. */
export type Commands = {
  readonly [Kind in KeyCommand["kind"]]: (
    command: Extract<KeyCommand, { readonly kind: Kind }>,
  ) => void;
};

export function obeyKeys(root: HTMLElement, commands: Commands): void {
  root.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement;
    const command = typing ? undefined : commandOf(event);
    if (!command) return;
    // Enter on a button presses the button.
    if (command.kind === "toggle" && event.target instanceof HTMLButtonElement) return;
    event.preventDefault();
    event.stopPropagation();
    obey(commands, command);
  });
}

function obey<Kind extends KeyCommand["kind"]>(
  commands: Commands,
  command: Extract<KeyCommand, { readonly kind: Kind }>,
): void {
  const act = commands[command.kind as Kind];
  act(command);
}
