/** Questions that get over a lost connection: asked once more, and refused as BUSY while the database is out of reach. */
import { mayAskAgain, outOfReach, troubleOf } from './postgres-errors.ts'

/** `ask` only reads, or does no harm when it is done twice. */
export async function steadily<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask().catch((error: unknown) => (mayAskAgain(error) ? ask() : Promise.reject(error)))
  } catch (error) {
    const trouble = troubleOf(error)
    throw trouble === 'unreachable' || trouble === 'again' ? outOfReach(error) : error
  }
}
