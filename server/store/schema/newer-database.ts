/** Keeps this version from a database whose schema a newer one has changed. */

/** Both are the times of migrations: the last one applied, and the newest that this version has. */
export function refuseNewer(applied: number, newest: number): void {
  if (applied <= newest) return
  throw new Error(
    'This database was last used by a newer version of Millrace, whose schema this version does not know. ' +
      'Start the newer version, or restore a backup from before the upgrade.',
  )
}
