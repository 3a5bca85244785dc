/** The journal of applied migrations. */
/** Not Drizzle's default: an application that keeps its tables in the same database has its own journal there. */
export const MIGRATIONS_TABLE = 'millrace_migrations'
