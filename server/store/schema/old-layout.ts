/** The tables by which a database of a version before the first release is recognized: its names had no prefix. */

/** Together they belong to an old queue and to no application. */
export const OLD_TABLES: readonly string[] = ['jobs', 'job_bodies', 'job_types', 'job_counts']

/** `place` is the file or the schema, `elsewhere` where a new queue may be. */
export function oldLayout(place: string, elsewhere: string): string {
  return (
    `${place} holds a queue of a Millrace version before the first release, whose tables have no prefix (${OLD_TABLES.join(', ')}). ` +
    `This version cannot read it: let the older version finish its jobs, then ${elsewhere}.`
  )
}
