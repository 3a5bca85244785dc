/** What databases are called. */

export const DIALECTS = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const
