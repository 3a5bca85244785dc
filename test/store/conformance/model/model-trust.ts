/** Trust of the model in the clock: ticks wait for five minutes after it has jumped ahead. */
import { HOUR, MINUTE } from '../../../../shared/limits.ts'

export class ModelTrust {
  /** Time since the start without jumps. */
  private elapsed = 0
  /** The sum of all jumps. */
  private ahead = 0
  private trusted = 0
  private jumped: { readonly ahead: number; readonly since: number } | null = null

  advance(ms: number): void {
    this.elapsed += ms
  }

  jump(ms: number): void {
    this.ahead += ms
  }

  /** At every commit. */
  observe(): void {
    if (this.ahead === this.trusted) this.jumped = null
    else if (this.jumped?.ahead !== this.ahead) this.jumped = { ahead: this.ahead, since: this.elapsed }
    else if (this.elapsed - this.jumped.since >= HOUR) {
      this.trusted = this.ahead
      this.jumped = null
    }
  }

  get holdsTicks(): boolean {
    const { jumped } = this
    return jumped !== null && jumped.ahead > this.trusted && this.elapsed - jumped.since < 5 * MINUTE
  }
}
