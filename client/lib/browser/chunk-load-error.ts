/** Error for a page chunk that could not be loaded, for example after a server update. */

/** Recovery needs a full reload: browsers remember a failed module import. */
export class ChunkLoadError extends Error {
  constructor(cause: unknown) {
    super('This page could not be loaded. Reload to try again.', { cause })
  }
}

export async function loadChunk<Chunk>(chunk: Promise<Chunk>): Promise<Chunk> {
  try {
    return await chunk
  } catch (error) {
    throw new ChunkLoadError(error)
  }
}
