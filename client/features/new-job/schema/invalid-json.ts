/** Text of a JSON form field that is not valid JSON. */

export class InvalidJson {
  readonly text: string
  readonly problem: string

  constructor(text: string, problem: string) {
    this.text = text
    this.problem = problem
  }

  /** Used by the preview. */
  toJSON(): string {
    return this.text
  }
}
