/** The query function of the inspection. */
import type { QueryResultRow } from 'pg'

/** Returns the first row; throws without one. */
export type QueryRow = <Row extends QueryResultRow>(text: string, values?: unknown[]) => Promise<Row>
