/** The wish to write a filter: the field may only come with another page, after a moment. */

/** Whoever has waited longer does something else by now. */
const WISHED_FOR_MS = 5_000

let wishedAt = Number.NEGATIVE_INFINITY

/** Goes to the field; false: there is none yet, and the next one takes the focus. */
export function wantFilter(): boolean {
  const field = document.querySelector<HTMLElement>('[data-filter-field]')
  field?.focus()
  if (!field) wishedAt = performance.now()
  return field !== null
}

export function isFilterWanted(): boolean {
  const isWanted = performance.now() - wishedAt < WISHED_FOR_MS
  wishedAt = Number.NEGATIVE_INFINITY
  return isWanted
}
