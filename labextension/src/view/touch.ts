/** Fingers on the drawing: one that rests tells what is under it, as a pointer does that hovers. */

const LONG_MS = 450;
/** A finger never rests quite still. */
const SLACK = 8;

export interface TouchEvents {
  /** A finger has rested on a place. */
  rested(event: PointerEvent): void;
  /** A finger goes down, or moves. */
  moved(event: PointerEvent): void;
}

/** What a finger has been told of is not chosen by the same touch. */
export function listenToFingers(element: Element, events: TouchEvents): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let down: PointerEvent | undefined;
  let told = false;
  const end = () => {
    clearTimeout(timer);
    down = undefined;
  };
  const isFinger = (event: Event) => (event as PointerEvent).pointerType === "touch";
  element.addEventListener("pointerdown", (event) => {
    const pressed = event as PointerEvent;
    const first = isFinger(event) && pressed.isPrimary;
    end();
    told = false;
    if (!isFinger(event)) return;
    events.moved(pressed);
    if (!first) return;
    down = pressed;
    timer = setTimeout(() => {
      told = true;
      events.rested(pressed);
    }, LONG_MS);
  });
  element.addEventListener("pointermove", (event) => {
    const now = event as PointerEvent;
    if (!down || Math.hypot(now.clientX - down.clientX, now.clientY - down.clientY) < SLACK) return;
    end();
    events.moved(now);
  });
  for (const name of ["pointerup", "pointercancel"]) element.addEventListener(name, end);
  element.addEventListener("contextmenu", (event) => {
    if (isFinger(event)) event.preventDefault();
  });
  element.addEventListener(
    "click",
    (event) => {
      if (told) event.stopImmediatePropagation();
      told = false;
    },
    { capture: true },
  );
}
