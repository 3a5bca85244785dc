/** Loaded part of the audit trail: grows at both ends, without gaps. */

export interface Trail<Entry> {
  /** Newest first. */
  readonly entries: readonly Entry[]
  /** All older entries are loaded. */
  readonly isEnd: boolean
}

/** Adds `page`, the newest entries. Starts over with it when entries between it and the loaded ones are missing. */
export function withNewest<Entry extends { readonly id: number }>(
  known: Trail<Entry> | null,
  page: readonly Entry[],
  limit: number,
): Trail<Entry> {
  const newest = known?.entries[0]?.id
  const reaches = newest !== undefined && page.some(({ id }) => id <= newest)
  if (!known || (!reaches && page.length === limit)) return { entries: page, isEnd: page.length < limit }
  const fresh = page.filter(({ id }) => newest === undefined || id > newest)
  return fresh.length === 0 ? known : { ...known, entries: [...fresh, ...known.entries] }
}

export function withOlder<Entry extends { readonly id: number }>(
  known: Trail<Entry>,
  page: readonly Entry[],
  limit: number,
): Trail<Entry> {
  const oldest = known.entries.at(-1)?.id ?? Number.POSITIVE_INFINITY
  return { entries: [...known.entries, ...page.filter(({ id }) => id < oldest)], isEnd: page.length < limit }
}
