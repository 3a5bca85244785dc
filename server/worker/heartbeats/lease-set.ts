/** Leases by job id and version: two attempts of one job never replace each other. */

export interface Lease {
  readonly id: string
  readonly version: number
}

export class LeaseSet<Entry extends Lease = Lease> {
  private readonly entries = new Map<string, Entry>()

  add(entry: Entry): void {
    this.entries.set(leaseKey(entry), entry)
  }

  get(lease: Lease): Entry | undefined {
    return this.entries.get(leaseKey(lease))
  }

  delete(lease: Lease): void {
    this.entries.delete(leaseKey(lease))
  }

  values(): Entry[] {
    return [...this.entries.values()]
  }

  /** Leases with an older version than another lease of the same job. Versions only grow, so these are lost. */
  superseded(): Entry[] {
    const newest = new Map<string, number>()
    for (const { id, version } of this.entries.values()) newest.set(id, Math.max(version, newest.get(id) ?? 0))
    return this.values().filter(({ id, version }) => version < (newest.get(id) ?? 0))
  }
}

export function leaseKey({ id, version }: Lease): string {
  return `${version}:${id}`
}
