/** Fields that are made anew while somebody may be typing in them. */

/** What was typed in the fields of an element stays, and so does the focus. */
export function keepFields(element: Element, make: () => void): void {
  const fields = () => [...element.querySelectorAll("input")];
  const focused = fields().find((field) => field === document.activeElement);
  const before = new Map(
    fields().map((field) => {
      const { value, selectionStart, selectionEnd } = field;
      const typed = value === field.defaultValue ? undefined : value;
      return [field.ariaLabel, { field, typed, selectionStart, selectionEnd }];
    }),
  );
  // A field that goes loses the focus first: what is typed so far would count as entered.
  if (focused) focused.value = focused.defaultValue;
  make();
  for (const field of fields()) {
    const was = before.get(field.ariaLabel);
    if (!was) continue;
    if (was.typed !== undefined) field.value = was.typed;
    if (was.field !== focused) continue;
    field.focus({ preventScroll: true });
    field.setSelectionRange(was.selectionStart, was.selectionEnd);
  }
}
