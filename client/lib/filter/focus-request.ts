/** Pending request to focus the filter field, which may belong to a page that is still loading. */

/** Older requests are dropped, because the user has moved on. */
const EXPIRES_AFTER_MS = 5_000

let requestedAt = Number.NEGATIVE_INFINITY

/** Focuses the field. false: there is no field yet; the next one takes the focus when it mounts. */
export function requestFilterFocus(): boolean {
  const field = document.querySelector<HTMLElement>('[data-filter-field]')
  field?.focus()
  if (!field) requestedAt = performance.now()
  return field !== null
}

export function takeFilterFocusRequest(): boolean {
  const isRequested = performance.now() - requestedAt < EXPIRES_AFTER_MS
  requestedAt = Number.NEGATIVE_INFINITY
  return isRequested
}
