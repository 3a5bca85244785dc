/** Detects databases of versions before the first release, whose table names had no prefix. */

/** A database with all of these tables is an old queue, not an application's database. */
export const OLD_TABLES: readonly string[] = ['jobs', 'job_bodies', 'job_types', 'job_counts']

/** `place`: the file or schema. `elsewhere`: an instruction that names another place for a new queue. */
export function oldLayout(place: string, elsewhere: string): string {
  return (
    `${place} holds a queue of a Millrace version before the first release, whose tables have no prefix (${OLD_TABLES.join(', ')}). ` +
    `This version cannot read it: let the older version finish its jobs, then ${elsewhere}.`
  )
}
