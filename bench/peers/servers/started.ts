/** A server, file or address on which a system is measured. */

/** Where a system keeps its data. */
export interface Place {
  readonly folder: string
  readonly logProgress: (progress: string) => void
}

/** Process id of the server, whose CPU time counts with its descendants; or it is the client itself, or elsewhere. */
export type ServerProcess = number | 'in process' | 'unknown'

export interface Started {
  readonly address: string
  /** Program and version behind the address, for the report. */
  readonly server: string
  readonly process: ServerProcess
  stop(): Promise<void>
}

export async function startFile(file: string): Promise<Started> {
  return { address: file, server: 'in process', process: 'in process', stop: async () => {} }
}
