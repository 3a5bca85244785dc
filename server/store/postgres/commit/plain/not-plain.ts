/** The assumptions of a plain commit did not hold. It is rolled back and repeated as a normal commit. */
export class NotPlain extends Error {}

/** One of its jobs has a key, so that following commits probably also have jobs of this type with keys. */
export class HasGroups extends NotPlain {
  readonly type: string

  constructor(type: string) {
    super('The commit changes jobs with keys.')
    this.type = type
  }
}

/** One of its jobs is of a schedule. */
export class HasSchedules extends NotPlain {
  readonly type: string

  constructor(type: string) {
    super('The commit completes jobs of schedules.')
    this.type = type
  }
}
