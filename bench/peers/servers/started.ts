/** A server, file or address on which a system is measured. */

/** Where a system keeps its data. */
export interface Place {
  readonly folder: string
  readonly logProgress: (progress: string) => void
}

export interface Started {
  readonly address: string
  /** Program and version behind the address, for the report. */
  readonly server: string
  /** Process whose CPU time counts for the system, with its descendants; null: there is none besides the client. */
  readonly pid: number | null
  stop(): Promise<void>
}

export async function startFile(file: string): Promise<Started> {
  return { address: file, server: 'in process', pid: null, stop: async () => {} }
}
