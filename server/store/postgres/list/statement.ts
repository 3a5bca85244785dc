/** A statement put together from parts, whose values get their numbers as they come. */

export class Statement {
  readonly values: unknown[] = []

  /** The placeholder of a value. */
  value(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }

  /** ` and a and b`: what follows a condition that is always there. */
  and(conditions: readonly ((statement: Statement) => string)[]): string {
    return conditions.map((condition) => ` and ${condition(this)}`).join('')
  }
}
