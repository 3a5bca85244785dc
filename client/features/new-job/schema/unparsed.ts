/** Text in a form that should be JSON and is not yet. */

export class Unparsed {
  readonly text: string
  readonly problem: string

  constructor(text: string, problem: string) {
    this.text = text
    this.problem = problem
  }

  /** For previews. */
  toJSON(): string {
    return this.text
  }
}
