/** Small label in a status colour, beside a name. */
import type { Status } from '../../shared/status.ts'

export interface BadgeProps {
  readonly tone: Status
  readonly title?: string | undefined
  readonly children: string
}

export function Badge({ tone, title, children }: BadgeProps) {
  return (
    <span data-tone={tone} title={title} className="shrink-0 rounded-full bg-tone/14 px-2 text-tone-ink text-xs/5">
      {children}
    </span>
  )
}
