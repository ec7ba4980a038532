/** Whose the wheel is, and how far it zooms. */

/** A wheel over a widget in a long notebook scrolls the notebook, until the widget has been clicked into. */
export function ownsWheel(element: HTMLElement): boolean {
  const root = element.getRootNode() as Document | ShadowRoot;
  if (root.activeElement && element.contains(root.activeElement)) return true;
  for (let e = element.parentElement; e; e = e.parentElement)
    if (e.scrollHeight > e.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(e).overflowY))
      return false;
  const page = document.scrollingElement;
  return !page || page.scrollHeight <= page.clientHeight + 1;
}

/** As a power of two. A pinch comes as many small steps, a notch of a mouse's wheel as one large one. */
export function wheelZoom({ deltaY, deltaMode }: WheelEvent): number {
  const pixels = deltaMode === 1 ? deltaY * 18 : deltaMode === 2 ? deltaY * 400 : deltaY;
  return -pixels * (Math.abs(pixels) < 50 ? 0.012 : 0.003);
}
