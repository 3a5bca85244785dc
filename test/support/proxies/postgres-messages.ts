/** Splits one direction of a PostgreSQL connection into messages. */

export interface PostgresMessage {
  /** Empty for the first message of a client, which has none. */
  readonly type: string
  readonly bytes: Buffer
}

export class PostgresMessages {
  private rest = Buffer.alloc(0)
  private hasType: boolean

  constructor(sender: 'client' | 'server') {
    this.hasType = sender === 'server'
  }

  /** The messages that end in this chunk. */
  read(chunk: Buffer): PostgresMessage[] {
    const messages: PostgresMessage[] = []
    this.rest = Buffer.concat([this.rest, chunk])
    for (;;) {
      const start = this.hasType ? 1 : 0
      if (this.rest.length < start + 4) return messages
      const end = start + this.rest.readUInt32BE(start)
      if (this.rest.length < end) return messages
      const bytes = this.rest.subarray(0, end)
      this.rest = this.rest.subarray(end)
      this.hasType = true
      messages.push({ type: bytes.toString('latin1', 0, start), bytes })
    }
  }
}
