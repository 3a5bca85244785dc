/** A part of the page that could not be fetched, as after an update of the server: only a reload brings the new ones. */

export class LostPart extends Error {
  constructor(cause: unknown) {
    super('A part of this page did not come. The server may be away for a moment, or have a newer version.', { cause })
  }
}

export async function fetchPart<Part>(part: Promise<Part>): Promise<Part> {
  try {
    return await part
  } catch (error) {
    throw new LostPart(error)
  }
}
