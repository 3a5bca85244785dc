/** The leases that one worker keeps alive, by job id and version: two attempts of one job never replace each other. */

export interface Lease {
  readonly id: string
  readonly version: number
}

export class LeaseSet<Entry extends Lease = Lease> {
  private readonly entries = new Map<string, Entry>()

  add(entry: Entry): void {
    this.entries.set(keyOf(entry), entry)
  }

  get(lease: Lease): Entry | undefined {
    return this.entries.get(keyOf(lease))
  }

  delete(lease: Lease): void {
    this.entries.delete(keyOf(lease))
  }

  values(): Entry[] {
    return [...this.entries.values()]
  }

  /** Leases that a newer claim of the same job has replaced: versions only grow, so these are lost. */
  superseded(): Entry[] {
    const newest = new Map<string, number>()
    for (const { id, version } of this.entries.values()) newest.set(id, Math.max(version, newest.get(id) ?? 0))
    return this.values().filter(({ id, version }) => version < (newest.get(id) ?? 0))
  }
}

function keyOf({ id, version }: Lease): string {
  return `${version}:${id}`
}
