/** The assumptions of a plain commit did not hold. It is rolled back and repeated as a normal commit. */
export class NotPlain extends Error {}

/** One of its jobs has a key, so that following commits with jobs of this type are probably not plain either. */
export class HasGroups extends NotPlain {
  readonly type: string

  constructor(type: string) {
    super('The commit changes jobs with keys.')
    this.type = type
  }
}
