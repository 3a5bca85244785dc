/** Detects keyboard events that belong to a text field, so that shortcuts ignore them. */

/** Checkboxes take no text, so shortcuts work while one has the focus. */
export function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== 'checkbox'
  return target instanceof HTMLElement && (target.isContentEditable || ['TEXTAREA', 'SELECT'].includes(target.tagName))
}
