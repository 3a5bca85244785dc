/** Refuses a database whose schema a newer version has changed. */

/** Times of migrations: the last applied one, and the newest of this version. */
export function refuseNewer(applied: number, newest: number): void {
  if (applied <= newest) return
  throw new Error(
    'This database was last used by a newer version of Millrace, whose schema this version does not know. ' +
      'Start the newer version, or restore a backup from before the upgrade.',
  )
}
