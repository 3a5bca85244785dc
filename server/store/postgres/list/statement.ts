/** An SQL statement built from parts, with numbered placeholders. */

export class Statement {
  readonly values: unknown[] = []

  /** Adds a value and returns its placeholder. */
  value(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }

  /** ` AND a AND b`, to append to another condition. */
  and(conditions: readonly ((statement: Statement) => string)[]): string {
    return conditions.map((condition) => ` AND ${condition(this)}`).join('')
  }
}
